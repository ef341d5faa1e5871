// The ways out of the sandbox at a real terminal: closed by default, opened only by the user's own file, asked each time, recorded as what they are,
// and ended with everything that can be found. The user's file lies in a private mount view, so that no real one is touched.
import assert from "node:assert/strict";
import { access, chmod, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { StoredRecord } from "../../src/contracts/ledger.ts";
import { sha256Digest } from "../../src/kit/digest.ts";
import { hostUser } from "../../src/kit/host-user.ts";
import { capture, type Captured } from "../../src/kit/spawn.ts";
import { atTerminal, codeIn, type TerminalRun, type Typing } from "../fixtures/at-terminal.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const { home } = hostUser();

interface Ground {
  readonly base: string;
  readonly project: string;
  /** `glovebox run WORDS` at a terminal. */
  readonly run: (
    words: string,
    typings?: readonly Typing[],
    options?: { readonly before?: string; readonly isInside?: boolean },
  ) => Promise<TerminalRun>;
  /** The same without a terminal of its own. */
  readonly detached: (words: readonly string[]) => Promise<Captured>;
  /** Another call, without the view and so without the user's file. */
  readonly next: () => Promise<Captured>;
  readonly records: () => Promise<readonly StoredRecord[]>;
}

async function ground(t: TestContext, policy: string): Promise<Ground> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-outside-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(path.join(base, "home/.config/glovebox"), { recursive: true });
  await mkdir(project);
  await writeFile(path.join(base, "home/.config/glovebox/policy.yaml"), `apiVersion: glovebox/v1\n${policy}`);
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin", NO_COLOR: "1" };
  const view = [
    "bwrap",
    "--dev-bind",
    "/",
    "/",
    "--bind",
    `${base}/home`,
    home,
    "--bind",
    installation,
    installation,
    "--bind",
    base,
    base,
  ];
  const command = [...view, process.execPath, commandLine, "run"];
  // What every sandbox shows.
  const inside = ["--tmpfs", "/run", "--ro-bind", "/bin/true", "/run/glovebox/guard"];
  const place = ["--project", project, "--cwd", project];
  return {
    base,
    project,
    run: (words, typings = [], { before = "", isInside = false } = {}) =>
      atTerminal(
        `${before} exec ${[...view, ...(isInside ? inside : []), process.execPath, commandLine, "run", "--quiet", ...place].map((word) => `'${word}'`).join(" ")} ${words}`,
        {
          environment,
          typings,
        },
      ),
    detached: (words) => capture("/usr/bin/setsid", ["--wait", ...command, ...place, ...words], { environment, timeoutMs: 120_000 }),
    next: () => capture(process.execPath, [commandLine, "run", "--quiet", ...place, "--", "true"], { environment, timeoutMs: 120_000 }),
    records: async () => {
      const door = composeDoor({ environment, installation });
      assert.equal((await door.verify({})).exit, 0);
      return (await door.records({ limit: 100 })).toReversed();
    },
  };
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
/** A zombie that nobody has buried is dead. */
async function isAlive(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  return status !== undefined && !/^State:\tZ/mu.test(status);
}

const grant: Typing = { after: /OUTSIDE any sandbox; anything else refuses: $/u, keys: (seen) => `${codeIn(seen)}\n` };
const open = "allowUnsandboxed: true\n";

test("`run --unsandboxed` is denied while the user's own policy opens no way out: code 120, nothing asked, nothing run", async (t) => {
  const at = await ground(t, "");
  const { seen, code } = await at.run("--interactive --unsandboxed -- touch ../outside");
  assert.equal(code, 120, seen);
  assert.match(seen, /allowUnsandboxed: false/u);
  assert.ok(!(await isThere(path.join(at.base, "outside"))));
  assert.ok(!(await at.records()).some(({ type }) => type === "approval.asked"));
});

test("what a person granted runs outside, once, and record and sheet say that no wall held it", async (t) => {
  const at = await ground(t, open);
  const { seen, code } = await at.run("--interactive --sheet --unsandboxed -- sh -c 'touch ../outside; echo ran; exit 5'", [grant]);
  assert.equal(code, 5, seen);
  assert.match(seen, /\(unsandboxed\)[^]*No wall holds it[^]*Granted, once\.[^]*ran\r\n/u);
  assert.match(seen, /no wall held it \(unsandboxed\)/u);
  assert.ok(await isThere(path.join(at.base, "outside")), "the control: it was outside");
  const records = (await at.records()).slice(1);
  assert.deepEqual(
    records.map(({ type }) => type),
    [
      "policy.decision",
      "approval.asked",
      "approval.answered",
      "execution.unsandboxed",
      "execution.ended",
      "execution.closed",
      "result.returned",
    ],
  );
  assert.equal(records[0]?.body["boundary"], "outside");
  assert.equal(records[1]?.body["kind"], "unsandboxed");
  assert.equal(records[3]?.body["approval"], records[1]?.body["approval"]);
});

for (const [what, words] of [
  ["without --interactive", ["--unsandboxed", "--", "touch", "../outside"]],
  ["with --interactive but no terminal", ["--interactive", "--unsandboxed", "--", "touch", "../outside"]],
  ["with --json", ["--json", "--unsandboxed", "--", "touch", "../outside"]],
] as const) {
  test(`${what} nobody is asked and nothing runs outside: code 121`, async (t) => {
    const at = await ground(t, `${open}commands: [{id: a, match: {argvPrefix: [touch]}, verdict: allow}]\n`);
    const { code, stdout, stderr } = await at.detached(words);
    assert.equal(code, 121, stdout + stderr);
    assert.match(stdout + stderr, /APPROVAL_UNAVAILABLE/u);
    assert.ok(!(await isThere(path.join(at.base, "outside"))));
  });
}

test("inside a sandbox there is nobody to ask, even at a terminal", async (t) => {
  const at = await ground(t, open);
  const { seen, code } = await at.run("--interactive --unsandboxed -- touch ../outside", [], { isInside: true });
  assert.equal(code, 121, seen);
  assert.ok(!(await isThere(path.join(at.base, "outside"))));
});

test("a policy of the project and one that is named open no way out: code 2", async (t) => {
  const at = await ground(t, "");
  await writeFile(path.join(at.base, "other.yaml"), `apiVersion: glovebox/v1\n${open}`);
  assert.equal((await at.run(`--policy ${at.base}/other.yaml --interactive --unsandboxed -- true`)).code, 2);
  await writeFile(path.join(at.project, "glovebox.yaml"), `apiVersion: glovebox/v1\n${open}`);
  const { seen, code } = await at.run("--interactive --unsandboxed -- true");
  assert.equal(code, 2, seen);
  assert.match(seen, /only the system's and the user's own policy file/u);
});

test("an unsandboxed run is bounded in time and output, and its tree is ended, daemons included", async (t) => {
  const at = await ground(t, open);
  const script = `setsid sh -c "echo \\$\\$ > daemon; exec sleep 1000" & until test -s daemon; do sleep 0.05; done; trap "" TERM; sleep 1001`;
  const { seen, code } = await at.run(`--interactive --unsandboxed --wall 1s -- sh -c '${script}'`, [grant]);
  assert.equal(code, 124, seen);
  const daemon = (await readFile(path.join(at.project, "daemon"), "utf8")).trim();
  assert.equal(await isAlive(daemon), false);
  const flood = await at.run("--interactive --unsandboxed --output-limit 1MiB -- yes", [grant]);
  assert.equal(flood.code, 123, flood.seen.slice(-500));
  assert.deepEqual(await readdir(path.join(at.base, "glovebox/tasks")), []);
});

test("what a run outside left behind when its broker was killed is ended by the next start, and recorded", async (t) => {
  const at = await ground(t, open);
  const script = "echo $$ > left; kill -9 $PPID; exec sleep 1000";
  await at.run(`--interactive --unsandboxed -- sh -c '${script}'`, [grant]);
  const left = (await readFile(path.join(at.project, "left"), "utf8")).trim();
  assert.equal(await isAlive(left), true, "the control: it outlived its broker");
  // Outside the view: from the user namespace of one view the processes of another cannot be looked at.
  const next = await at.next();
  assert.equal(next.code, 0, next.stderr);
  assert.equal(await isAlive(left), false);
  const reaped = (await at.records()).find(({ type }) => type === "execution.reaped");
  assert.equal(reaped?.body["processes"], 1);
});

test("an unsandboxed run gets the variables of the allow-list only, and no terminal", async (t) => {
  const at = await ground(t, open);
  const before = "export SECRET_TOKEN=canary;";
  const { seen } = await at.run("--interactive --unsandboxed -- sh -c 'env; cat < /dev/tty || echo no terminal'", [grant], { before });
  assert.doesNotMatch(seen.slice(seen.indexOf("Granted")), /canary/u);
  assert.match(seen, /no terminal\r\n/u);
});

const idEntry = (pin: string, program = "/usr/bin/id"): string =>
  `outside: [{id: who, program: ${program}, pin: ${pin}, arguments: [{oneOf: [-u, -g]}], environment: {SET: here}, reason: hardware}]\n`;

test("an entry of `outside` runs its program with its words after a question, although the wide way is closed", async (t) => {
  // In the user namespace that makes the view for an ordinary user root's files have no owner.
  const at = await ground(t, idEntry(process.getuid?.() === 0 ? "root" : sha256Digest(await readFile("/usr/bin/id"))));
  const { seen, code } = await at.run("--interactive --outside who -- id -u", [grant]);
  assert.equal(code, 0, seen);
  assert.match(
    seen,
    /this entry of your policy OUTSIDE[^]*command: \/usr\/bin\/id -u\r\n\s+directory: \/\r\n[^]*rule: who[^]*reason: hardware/u,
  );
  assert.match(seen, new RegExp(`Granted, once\\.\\r\\n${process.getuid?.() ?? ""}\\r\\n`, "u"));
  assert.equal((await at.records()).find(({ type }) => type === "approval.asked")?.body["kind"], "narrow");
  assert.equal((await at.run("--interactive --unsandboxed -- id -u")).code, 120);
});

for (const [what, words] of [
  ["another word", "id -G"],
  ["one word more", "id -u root"],
  ["a chain in a word", "id '-u; touch ../outside'"],
  ["a chain of words", "id -u ';' touch ../outside"],
  ["a substitution", "id '$(touch ../outside)'"],
  ["a redirect", "id -u '>' ../outside"],
  ["a shell around it", "sh -c 'id -u; touch ../outside'"],
  ["another program of the name", "./id -u"],
] as const) {
  test(`an entry refuses ${what}: code 120, nothing asked`, async (t) => {
    const at = await ground(t, idEntry("root"));
    await writeFile(path.join(at.project, "id"), "#!/bin/sh\ntouch ../outside\n", { mode: 0o755 });
    const { seen, code } = await at.run(`--interactive --outside who -- ${words}`);
    assert.equal(code, 120, seen);
    assert.match(seen, /its words are not those of the entry/u);
    assert.ok(!(await isThere(path.join(at.base, "outside"))));
  });
}

test("an entry whose program is not the pinned one is refused before anybody is asked", async (t) => {
  const at = await ground(t, "");
  const tool = path.join(at.base, "tool");
  await writeFile(tool, "#!/bin/sh\necho tool $SET $HOSTILE\n");
  await chmod(tool, 0o755);
  const pinned = sha256Digest(await readFile(tool));
  const file = path.join(at.base, "home/.config/glovebox/policy.yaml");
  const write = (pin: string): Promise<void> => writeFile(file, `apiVersion: glovebox/v1\n${idEntry(pin, tool)}`);
  await write("root");
  const unowned = await at.run("--interactive --outside who -- tool -u");
  assert.equal(unowned.code, 120, unowned.seen);
  await write(pinned);
  const before = "export HOSTILE=leaked PATH=/nonexistent:/usr/bin;";
  const { seen, code } = await at.run("--interactive --outside who -- tool -u", [grant], { before });
  assert.equal(code, 0, seen);
  assert.match(seen, /\r\ntool here\r\n/u);
  await writeFile(tool, "#!/bin/sh\necho other\n");
  const changed = await at.run("--interactive --outside who -- tool -u");
  assert.equal(changed.code, 120, changed.seen);
  assert.match(changed.seen, /is not the program that its pin names/u);
});
