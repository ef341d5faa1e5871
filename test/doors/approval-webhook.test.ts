// A place that the user's own policy names answers a question: its signature alone counts, and an independent program makes it. INVARIANT I-12
import assert from "node:assert/strict";
import { access, chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod";
import { makeAuthority } from "../fixtures/internet/authority.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet, type Ran } from "../fixtures/internet/internet.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;
let keyFile = "";
const program = path.join(import.meta.dirname, "../fixtures/answering-place.py");
const plain = `apiVersion: glovebox/v1
approval: regular
approvals: [{id: relay, on: command, by: ["http://127.0.0.1:PORT/ask"]}]
`;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, "", "told");
  const directory = path.join(internet.home, ".config/glovebox");
  await mkdir(directory, { recursive: true });
  keyFile = path.join(directory, "approval-webhook.key");
  await writeFile(keyFile, "0123456789abcdef0123456789abcdef\n", { mode: 0o600 });
});
after(async () => {
  await gloved.glovebox("broker", "--stop");
  await resources.disposeAsync();
});

const noticeSchema = z.object({
  path: z.string(),
  word: z.string(),
  isSigned: z.boolean(),
  question: z.object({ argv: z.array(z.string()) }),
});

interface Told {
  readonly ran: Ran;
  readonly heard: readonly z.infer<typeof noticeSchema>[];
}

interface Place {
  readonly policy?: string;
  /** `NAME=VALUE` for its program. */
  readonly variables?: readonly string[];
}

/** Starts the place with these words, and runs a command that asks there. */
async function runTold(port: number, words: readonly string[], { policy = plain, variables = [] }: Place = {}): Promise<Told> {
  await writeFile(path.join(path.dirname(keyFile), "policy.yaml"), policy.replaceAll("PORT", `${port}`), { mode: 0o600 });
  const place = internet.start("machine", ["/usr/bin/env", ...variables, "/usr/bin/python3", program, `${port}`, keyFile, ...words]);
  let output = "";
  place.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  await internet.untilListening("machine", place, port);
  const ran = await gloved.glovebox("run", "--quiet", "--ask-elsewhere", "--project", gloved.project, "--", "touch", `made-${port}`);
  place.kill();
  const heard = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => noticeSchema.parse(JSON.parse(line)));
  return { ran, heard };
}

const isMade = (port: number): Promise<boolean> =>
  access(path.join(gloved.project, `made-${port}`)).then(
    () => true,
    () => false,
  );

test("a signed answer grants, once; one under another key does not, and the place is asked again", async () => {
  const { ran, heard } = await runTold(8101, ["forged", "granted"]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(await isMade(8101), true);
  assert.deepEqual(
    heard.map(({ word, isSigned }) => [word, isSigned]),
    [
      ["forged", true],
      ["granted", true],
    ],
  );
  assert.deepEqual(heard[0]?.question.argv, ["touch", "made-8101"]);
  assert.equal((await gloved.glovebox("ledger", "verify")).code, 0);
  const { stdout: list } = await gloved.glovebox("ledger", "ls", "--json");
  const { records } = z.object({ records: z.array(z.object({ seq: z.number(), type: z.string() })) }).parse(JSON.parse(list));
  const answered = records.find(({ type }) => type === "approval.answered");
  const { stdout: shown } = await gloved.glovebox("ledger", "show", `${answered?.seq}`);
  assert.match(shown, /body\.by +webhook\n[^]*detail\.url +http:\/\/[^ ]+8101/u);
});

test("a signed refusal refuses, and without the key nobody is asked and nothing runs", async () => {
  const refused = await runTold(8102, ["refused"]);
  assert.equal(refused.ran.code, 121);
  assert.match(refused.ran.stderr, /APPROVAL_REFUSED/u);
  await chmod(keyFile, 0o644);
  const { ran, heard } = await runTold(8103, ["granted"]);
  await chmod(keyFile, 0o600);
  assert.equal(ran.code, 121);
  assert.match(ran.stderr, /APPROVAL_UNAVAILABLE[^]*openssl rand/u);
  assert.deepEqual(heard, []);
  assert.deepEqual([await isMade(8102), await isMade(8103)], [false, false]);
});

test("a place whose certificate is of a private authority answers where the policy names that authority, and hears nothing where it does not", async () => {
  const directory = path.dirname(keyFile);
  const places = path.join(directory, "tls");
  await mkdir(places);
  const { certificate, hostCertificate, hostKey } = await makeAuthority(places, ["127.0.0.1"]);
  const variables = [`CERTIFICATE=${hostCertificate}`, `PRIVATE_KEY=${hostKey}`];
  // The place of the first entry is the same, but nobody whom that entry trusts vouches for it.
  const entry = (id: string, ca: string): string => `{id: ${id}, on: command, by: ["https://127.0.0.1:PORT/${id}"]${ca}}`;
  const policy = `apiVersion: glovebox/v1\napproval: regular\napprovals: [${entry("own", "")}, ${entry("private", `, ca: ${certificate}`)}]\n`;
  const { ran, heard } = await runTold(8104, ["later", "granted"], { policy, variables });
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(await isMade(8104), true);
  assert.deepEqual(
    heard.map(({ path: asked, word }) => [asked, word]),
    [
      ["/private", "later"],
      ["/private", "granted"],
    ],
  );
  await chmod(certificate, 0o666);
  const refused = await runTold(8105, ["granted"], { policy, variables });
  assert.match(refused.ran.stderr, /APPROVAL_UNAVAILABLE[^]*chmod go-w/u);
  assert.deepEqual([refused.ran.code, refused.heard, await isMade(8105)], [121, [], false]);
});
