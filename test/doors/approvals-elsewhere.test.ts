// A person answers at another terminal: what waits there, who may answer, and that a grant holds once, for what was shown. INVARIANT I-12
import assert from "node:assert/strict";
import { access, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import type { OpenQuestion } from "../../src/contracts/approval-door.ts";
import type { SharedBroker } from "../../src/contracts/reached-broker.ts";
import type { StoredRecord } from "../../src/contracts/ledger.ts";
import { capture, spawnProcess } from "../../src/kit/spawn.ts";
import { atTerminal, codeIn, type Typing } from "../fixtures/at-terminal.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { atOtherTerminal } from "../fixtures/other-terminal.ts";
import { quietIo, serveBroker, type ServedBroker } from "../fixtures/served-broker.ts";

const regular = { approval: "regular" } as const;

interface Ground extends ServedBroker {
  /** `glovebox WORDS` for a shell. */
  readonly line: (words: string) => string;
  readonly glovebox: (...words: readonly string[]) => ReturnType<typeof capture>;
  readonly first: () => Promise<OpenQuestion>;
  readonly isMade: () => Promise<boolean>;
  readonly answers: () => Promise<readonly string[]>;
}

const ends = new AsyncDisposableStack();
let shared: ServedBroker;
before(async () => {
  shared = await serveBroker({ after: (end) => ends.defer(end) }, regular);
});
after(() => ends.disposeAsync());

/** The broker of all tests here, as the one before left it, or one of its own. */
async function ground(served = shared): Promise<Ground> {
  const { project, environment, broker, door } = served;
  await rm(path.join(project, "made"), { force: true });
  const [last] = await door.records({ limit: 1 });
  const policy = path.join(path.dirname(project), "policy.yaml");
  await writeFile(policy, "apiVersion: glovebox/v1\napproval: regular\n");
  const place = `--quiet --policy '${policy}' --project '${project}' --cwd '${project}'`;
  return {
    ...served,
    line: (words) => `'${process.execPath}' '${commandLine}' ${words.replace(/^run /u, `run ${place} `)}`,
    glovebox: (...words) => capture(process.execPath, [commandLine, ...words], { environment, timeoutMs: 120_000 }),
    first: async () => {
      const signal = AbortSignal.timeout(120_000);
      for (let after: number | undefined; ;) {
        const open = await broker.approvals.list({ signal, ...(after === undefined ? {} : { after }) });
        const [question] = open.questions;
        if (question !== undefined) return question;
        assert.ok(!signal.aborted, "no question came");
        after = open.revision;
      }
    },
    isMade: () =>
      access(path.join(project, "made")).then(
        () => true,
        () => false,
      ),
    answers: async () => {
      const wordOf = ({ type, body }: StoredRecord): readonly string[] =>
        type === "approval.answered" ? [[body["answer"], body["by"]].join(" ").trim()] : [];
      const fresh = (await door.records({ limit: 100 })).filter(({ seq }) => seq > (last?.seq ?? -1));
      return fresh.flatMap(wordOf).toReversed();
    },
  };
}

const question = /anything else refuses: $/u;
const grant: Typing = { after: question, keys: (seen) => `${codeIn(seen)}\n` };

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** `glovebox run --ask-elsewhere -- WORDS`, without a terminal of its own. */
function startRun(at: Ground, words: string): { readonly ended: Promise<Ended> } {
  const child = spawnProcess("/bin/sh", ["-c", `exec ${at.line(`run --ask-elsewhere -- ${words}`)}`], {
    environment: at.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.on("close", (code) => resolve({ code, stderr }));
  return { ended: promise };
}

const answerAt = (at: Ground, words: string, typings: readonly Typing[]) =>
  atOtherTerminal(at.line(words), { environment: { ...at.environment, NO_COLOR: "1" }, typings });

test("`run --ask-elsewhere` waits for another terminal, says so, and runs what was granted there, once", async () => {
  const at = await ground();
  const run = startRun(at, "touch made");
  const { id } = await at.first();
  assert.match((await at.glovebox("approval", "ls")).stdout, new RegExp(`${id} +command +\\d.* left +touch made\n`, "u"));
  const shown = await at.glovebox("approval", "show", id);
  assert.match(shown.stdout, /run this command in its sandbox\?[^]*command: touch made\n[^]*program: \/[^]*policy: sha256:/u);
  assert.doesNotMatch(shown.stdout, /Type [a-z]+ to/u);
  assert.equal(await at.isMade(), false);
  const answered = await answerAt(at, `approval approve ${id}`, [grant]);
  assert.match(answered.seen, /Granted, once\./u);
  assert.equal(answered.code, 0, answered.seen);
  const { code, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  assert.ok(stderr.includes(`glovebox approval approve ${id}`), stderr);
  assert.equal(await at.isMade(), true);
  assert.deepEqual(await at.answers(), ["granted other-terminal"]);
  assert.equal((await at.glovebox("approval", "deny", id)).code, 2);
});

test("a refusal, by `deny` or by anything but the code, ends the run with 121", async () => {
  const at = await ground();
  const denied = startRun(at, "touch made");
  assert.equal((await at.glovebox("approval", "deny", (await at.first()).id)).code, 0);
  assert.match((await denied.ended).stderr, /APPROVAL_REFUSED/u);
  const refused = startRun(at, "touch made");
  const { id } = await at.first();
  assert.match((await answerAt(at, `approval approve ${id}`, [{ after: question, keys: "y\n\n" }])).seen, /Refused\./u);
  assert.equal((await refused.ended).code, 121);
  assert.equal(await at.isMade(), false);
});

test("`approval watch` asks about each question as it comes, and leaves at ctrl-c", async () => {
  const at = await ground();
  let run: ReturnType<typeof startRun> | undefined;
  const begin: Typing = {
    after: /Waiting for questions[^]*\n/u,
    keys: () => {
      run = startRun(at, "touch made");
      return "";
    },
  };
  const watched = await answerAt(at, "approval watch", [begin, grant, { after: "Granted, once.", keys: "\u0003" }]);
  assert.equal((await run?.ended)?.code, 0, watched.seen);
  assert.equal(await at.isMade(), true);
});

test("whoever owns the terminal of the asker grants nothing: not there, not at a new one made from it, not without one", async () => {
  const at = await ground();
  const ask = `${at.line("run --ask-elsewhere -- touch made")} & until ${at.line("approval ls")} 2>/dev/null | grep -q q-; do sleep 0.1; done; id=$(${at.line("approval ls --json")} | grep -o 'q-[0-9a-f-]*')`;
  const approve = at.line('approval approve "$id"');
  const owned = [
    approve,
    `script --quiet --return --command "${approve.replaceAll('"$id"', "$id")}" /dev/null`,
    `setsid --wait ${approve} </dev/null`,
  ];
  // A grant by the code is tried at each; the last refuses, so that all ends.
  const line = `set -m; ${ask}; ${owned.map((attempt, nth) => `${attempt}; echo "try${nth} $?"`).join("; ")}; ${at.line('approval deny "$id"')}; wait`;
  const typings: readonly Typing[] = [grant, { after: /try0[^]*anything else refuses: $/u, keys: (seen) => `${codeIn(seen)}\n` }];
  const { seen } = await atTerminal(line, { environment: { ...at.environment, NO_COLOR: "1" }, typings });
  assert.match(seen, /ACCESS_REFUSED[^]*try0 125[^]*ACCESS_REFUSED[^]*try1 125[^]*APPROVAL_UNAVAILABLE[^]*try2 121/u, seen);
  assert.doesNotMatch(seen, /Granted/u);
  assert.equal(await at.isMade(), false);
  assert.deepEqual(await at.answers(), ["refused other-terminal"]);
});

test("a program without a terminal grants nothing at the door itself, with every key that lies in the state", async () => {
  const at = await ground();
  const run = startRun(at, "touch made");
  const { id } = await at.first();
  // This process holds the key, as a hook or a server for a model would if it read it.
  await assert.rejects(at.broker.approvals.answer(id, "granted"), { code: "ACCESS_REFUSED" });
  await at.broker.approvals.answer(id, "refused");
  assert.equal((await run.ended).code, 121);
});

/** A command of a sandbox that waits; its file lies in the write root. */
async function asking(at: Ground, script: string) {
  const opened = await at.open();
  const asked: string[] = [];
  const command = { argv: ["sh", script] as [string, ...string[]], callerEnvironment: {}, environment: {} };
  const exec = () => at.broker.sandboxes.exec(opened, command, quietIo({ onAsked: (approval) => asked.push(approval) }));
  return { opened, asked, exec };
}

test("a command through the door waits, is told of, and a grant covers it once and as it was shown", async () => {
  const at = await ground();
  await writeFile(path.join(at.project, "script.sh"), "echo x >> made\n");
  const { asked, exec } = await asking(at, "script.sh");
  const run = exec();
  const { id } = await at.first();
  assert.deepEqual(asked, [id]);
  await answerAt(at, `approval approve ${id}`, [grant]);
  assert.equal((await run).exitCode, 0);
  assert.equal(await readFile(path.join(at.project, "made"), "utf8"), "x\n");
  // The same again is another question; and a file that changed between answer and start is noticed.
  const again = exec();
  const second = (await at.first()).id;
  assert.notEqual(second, id);
  const change: Typing = {
    after: question,
    keys: (seen) => {
      void writeFile(path.join(at.project, "script.sh"), "echo yy >> made\n").then(() => {});
      return `${codeIn(seen)}\n`;
    },
  };
  const [outcome] = await Promise.all([again.catch((error: unknown) => error), answerAt(at, `approval approve ${second}`, [change])]);
  assert.ok(outcome instanceof Error && "code" in outcome && outcome.code === "APPROVAL_CHANGED", String(outcome));
  assert.equal(await readFile(path.join(at.project, "made"), "utf8"), "x\n");
  assert.deepEqual(await at.answers(), ["granted other-terminal", "granted other-terminal"]);
});

test("a client that goes away takes its question with it; a detached command waits without one", async () => {
  const at = await ground();
  const opened = await at.open();
  const leaving = new AbortController();
  const command = { argv: ["touch", "made"] as [string, ...string[]], callerEnvironment: {}, environment: {} };
  const left = at.broker.sandboxes.exec(opened, command, quietIo({ signal: leaving.signal })).catch((error: unknown) => error);
  await at.first();
  leaving.abort();
  const error = await left;
  assert.ok(error instanceof Error && "code" in error && error.code === "APPROVAL_WITHDRAWN", String(error));
  const detached = at.broker.sandboxes.exec(opened, { ...command, isDetached: true }, quietIo());
  await answerAt(at, `approval approve ${(await at.first()).id}`, [grant]);
  await detached;
  assert.deepEqual(await at.answers(), ["withdrawn", "granted other-terminal"]);
});

test("hostile text in a question moves, hides and forges nothing in a list or in `show`", async () => {
  const at = await ground();
  const hostile = "a\u001B[2J\u202Eb\u200Bc\nq-000000000001-000000000001  command";
  const run = startRun(at, `true "$(printf '${hostile.replaceAll("\n", String.raw`\n`)}')" ${"A".repeat(10_000)}`);
  const { id } = await at.first();
  const [listed, shown] = [await at.glovebox("approval", "ls"), await at.glovebox("approval", "show", id)];
  for (const { stdout } of [listed, shown]) {
    assert.ok(stdout.includes("AAAA") || stdout.includes("true"), stdout);
    assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
    assert.doesNotMatch(stdout, /^\s*q-000000000001/mu);
  }
  assert.ok(shown.stdout.length < 6000);
  assert.equal(listed.stdout.split("\n").length, 2);
  await at.broker.approvals.answer(id, "refused");
  assert.equal((await run.ended).code, 121);
});

test("a broker that ends withdraws its questions, and nothing of them runs", async (t) => {
  const at = await ground(await serveBroker(t, regular));
  const run = startRun(at, "touch made");
  await at.first();
  await at.broker.stop();
  assert.equal((await run.ended).code, 125);
  assert.equal(await at.isMade(), false);
  assert.deepEqual(await at.answers(), ["withdrawn"]);
});

/** A killed broker's front takes connections for a moment longer. */
async function reachNext({ door }: Ground): Promise<SharedBroker> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await door.reachBroker().catch((error: unknown) => {
      if (Date.now() > deadline) throw error;
    });
    if (found !== undefined) return found;
  }
}

test("what a killed broker left open is recorded as expired by the next one, once", async (t) => {
  const at = await ground(await serveBroker(t, regular));
  const opened = await at.open();
  const command = { argv: ["touch", "made"] as [string, ...string[]], callerEnvironment: {}, environment: {} };
  const lost = at.broker.sandboxes.exec(opened, command, quietIo()).catch((error: unknown) => error);
  const { id } = await at.first();
  process.kill(await at.pid(), "SIGKILL");
  const error = await lost;
  assert.ok(error instanceof Error && "code" in error && error.code === "BROKER_UNAVAILABLE", String(error));
  for (let round = 0; round < 2; round += 1) {
    await using next = await reachNext(at);
    assert.deepEqual((await next.approvals.list({ signal: new AbortController().signal })).questions, []);
    await assert.rejects(next.approvals.answer(id, "granted"), { code: "APPROVAL_UNKNOWN" });
    assert.deepEqual(await at.answers(), ["expired"]);
  }
  assert.equal(await at.isMade(), false);
  assert.equal((await at.door.verify({})).exit, 0);
});
