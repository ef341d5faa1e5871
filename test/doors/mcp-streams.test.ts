// `glovebox mcp serve` at its streams, with the official client and a sandbox that is one. INVARIANT I-04, I-05, I-06, I-09, I-12
import assert from "node:assert/strict";
import { once } from "node:events";
import { access, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { call, cancelOnceThere, type McpHouse, openMcpHouse, record, textOf, untilThere } from "../fixtures/mcp-house.ts";

let house: McpHouse;

before(async () => {
  house = await openMcpHouse();
});

after(() => house[Symbol.asyncDispose]());

/** Nobody else sleeps as long. */
const oddSeconds = (): string => `${10_000 + Math.random() * 10_000}`;

test("an agent's session: one sandbox for all its calls, and its refusals told", async (t) => {
  const { client } = await house.connect(t, "mcp", "serve");
  assert.equal((await call(client, "write_file", { path: "words.txt", content: "one two" })).isError, false);
  await call(client, "write_file", {
    path: "words.txt",
    content: Buffer.from(" three").toString("base64"),
    encoding: "base64",
    append: true,
  });
  assert.equal(await readFile(path.join(house.project, "words.txt"), "utf8"), "one two three");
  const counted = await call(client, "run_code", { language: "python", code: "print(len(open('words.txt').read().split()))" });
  assert.deepEqual([counted.document["outcome"], textOf(counted.document["stdout"])], ["ok", "3\n"]);
  const read = await call(client, "read_file", { path: "words.txt", offset: 4, max_bytes: 3 });
  assert.deepEqual([textOf(read.document["content"]), read.document["nextOffset"]], ["two", 7]);
  const listed = await call(client, "list_files", {});
  assert.deepEqual(listed.document["entries"], [{ path: "words.txt", kind: "file", bytes: 13 }]);
  const planted = await call(client, "run_command", { argv: ["mkdir", ".vscode"] });
  assert.deepEqual([planted.document["outcome"], planted.document["task"]], ["failed", counted.document["task"]]);
  const { refusals } = (await call(client, "list_refusals", {})).document;
  assert.ok(Array.isArray(refusals));
  assert.deepEqual([record(refusals[0])["kind"], record(refusals[0])["rule"]], ["call", "listedName"]);
});

test("the tools read and write nothing outside that a command could not", async (t) => {
  const secret = path.join(path.dirname(house.project), "secret");
  await writeFile(secret, "canary-5121", { mode: 0o644 });
  const { client } = await house.connect(t, "mcp", "serve");
  assert.equal(await readFile(secret, "utf8"), "canary-5121");
  for (const file of [secret, "../secret", "words/../../secret"]) {
    const read = await call(client, "read_file", { path: file });
    assert.ok(read.isError && !read.text.includes("canary"), file);
    assert.equal((await call(client, "write_file", { path: file, content: "changed", append: true })).isError, true, file);
  }
  const found = await call(client, "list_files", { path: path.dirname(house.project), depth: 3 });
  assert.ok(!found.text.includes("secret"));
  assert.equal(await readFile(secret, "utf8"), "canary-5121");
});

test("fetch goes through the gate: what a policy opens is there, what it does not is refused and told", async (t) => {
  const server = createServer((_request, response) => response.end("from the host"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const bound = server.address();
  assert.ok(typeof bound === "object" && bound !== null);
  const { client } = await house.connect(t, "mcp", "serve", "--allow-local", `127.0.0.1:${bound.port}`);
  const base = "http://host.glovebox.internal";
  const open = await call(client, "fetch", { url: `${base}:${bound.port}/` });
  assert.deepEqual([open.isError, textOf(open.document["stdout"])], [false, "from the host"]);
  assert.match(textOf(open.document["stderr"]), /^status 200$/mu);
  // The gate's own answer, which says why.
  const closed = await call(client, "fetch", { url: "http://closed.example/" });
  assert.match(textOf(closed.document["stderr"]), /^status 403$/mu);
  const { refusals } = (await call(client, "list_refusals", {})).document;
  assert.ok(Array.isArray(refusals));
  const refused = refusals.map(record).find(({ host }) => host === "closed.example");
  assert.deepEqual([refused?.["kind"], refused?.["reason"]], ["connection", "default"]);
});

test("a call that is cancelled ends with all that it started; the sandbox and the rest of it go on", async (t) => {
  const { client } = await house.connect(t, "mcp", "serve");
  const [stays, ends] = [oddSeconds(), oddSeconds()];
  await call(client, "run_command", { argv: ["sh", "-c", `sleep ${stays} >/dev/null 2>&1 & echo up`] });
  await untilThere(stays, 1);
  await cancelOnceThere(client, ["sh", "-c", `setsid sleep ${ends} & sleep ${ends} & wait`], { word: ends, count: 2 });
  await untilThere(stays, 1);
  assert.equal((await call(client, "run_command", { argv: ["true"] })).isError, false);
  await client.close();
  await untilThere(stays, 0);
});

test("a timeout ends the command and says so", async (t) => {
  const { client } = await house.connect(t, "mcp", "serve");
  const { isError, document } = await call(client, "run_command", { argv: ["sleep", "1000"], timeout_seconds: 0.2 });
  assert.deepEqual([isError, document["outcome"]], [true, "timeout"]);
});

test("kill -9 of the server ends its sandbox and what runs in it", async (t) => {
  const { client, transport } = await house.connect(t, "mcp", "serve");
  const seconds = oddSeconds();
  await call(client, "run_command", { argv: ["sh", "-c", `sleep ${seconds} >/dev/null 2>&1 & echo up`] });
  await untilThere(seconds, 1);
  assert.ok(typeof transport.pid === "number");
  process.kill(transport.pid, "SIGKILL");
  await untilThere(seconds, 0);
});

test("what the policy asks about waits for a person elsewhere; an agent is told so, and can neither answer nor do without", async (t) => {
  const policy = path.join(path.dirname(house.project), "asks.yaml");
  const rule = "commands: [{id: made, match: {argvPrefix: [touch]}, verdict: ask, reason: look}]";
  await writeFile(policy, `apiVersion: glovebox/v1\n${rule}\nfilesystem: {allowWrite: [.]}\n`);
  const { client } = await house.connect(t, "mcp", "serve", "--policy", policy);
  const waiting = Promise.withResolvers<string>();
  const onprogress = ({ message = "" }: { readonly message?: string | undefined }) => waiting.resolve(message);
  const asked = call(client, "run_command", { argv: ["touch", "made"], stdin: "y\nyes\n" }, { onprogress });
  const [approval = ""] = /q-[0-9a-f-]+/u.exec(await waiting.promise) ?? [];
  await using broker = await house.door.reachBroker();
  assert.deepEqual(
    (await broker.approvals.list({ signal: new AbortController().signal })).questions.map(({ id }) => id),
    [approval],
  );
  for (const argv of [
    ["glovebox", "approval", "approve", approval],
    ["sh", "-c", `glovebox approval approve ${approval}`],
  ])
    assert.notEqual((await call(client, "run_command", { argv })).document["exitCode"], 0);
  for (const extra of [{ approve: true }, { ask: "granted" }, { outside: true }, { policy: { approval: "never" } }])
    assert.equal((await call(client, "run_command", { argv: ["touch", "made"], ...extra })).isError, true);
  await broker.approvals.answer(approval, "refused");
  const { isError, document } = await asked;
  assert.deepEqual([isError, record(document["error"])["code"]], [true, "APPROVAL_REFUSED"]);
  await assert.rejects(access(path.join(house.project, "made")));
  const { refusals } = (await call(client, "list_refusals", {})).document;
  assert.ok(Array.isArray(refusals));
  const told = refusals.map(record).find(({ verdict }) => verdict === "ask");
  assert.deepEqual([told?.["kind"], told?.["reason"]], ["command", "look"]);
});
