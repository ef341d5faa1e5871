// A person is asked at a real terminal: what is granted runs once, what is refused does not run, and nothing from inside a sandbox can answer.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { access, mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { StoredRecord } from "../../src/contracts/ledger.ts";
import { capture } from "../../src/kit/spawn.ts";
import { atTerminal, codeIn, type TerminalRun, type Typing } from "../fixtures/at-terminal.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");

interface Ground {
  readonly base: string;
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `glovebox WORDS` for a shell. */
  readonly line: (words: string) => string;
  readonly run: (words: string, typings?: readonly Typing[]) => Promise<TerminalRun>;
  readonly types: () => Promise<readonly string[]>;
}

async function ground(t: TestContext, policy = "approval: regular\n"): Promise<Ground> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-approvals-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  await writeFile(path.join(base, "policy.yaml"), `apiVersion: glovebox/v1\n${policy}`);
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin", NO_COLOR: "1" };
  const line = (words: string): string => {
    const [command = "", ...rest] = words.split(" ");
    const place = `--policy '${base}/policy.yaml' --project '${project}' --cwd '${project}'`;
    return `'${process.execPath}' '${commandLine}' ${command} --quiet ${place} ${rest.join(" ")}`;
  };
  return {
    base,
    project,
    environment,
    line,
    run: (words, typings = []) => atTerminal(`exec ${line(words)}`, { environment, typings }),
    types: async () => {
      const door = composeDoor({ environment, installation });
      const records = await door.records({ limit: 100 });
      assert.equal((await door.verify({})).exit, 0);
      const wordOf = (value: unknown): readonly string[] => (typeof value === "string" ? [value] : []);
      const lineOf = ({ type, body }: StoredRecord): string =>
        [type, ...["answer", "by", "outcome", "verdict"].flatMap((name) => wordOf(body[name]))].join(" ");
      return records.map(lineOf).toReversed();
    },
  };
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
const question = /to run it; anything else refuses: $/u;
const grant: Typing = { after: question, keys: (seen) => `${codeIn(seen)}\n` };

test("`run --interactive` asks, and runs what a person granted, once", async (t) => {
  const at = await ground(t);
  const { seen, code } = await at.run("run --interactive -- sh -c 'echo ran; echo made > made'", [grant]);
  assert.equal(code, 0, seen);
  assert.match(seen, /run this command in its sandbox\?[^]*program: \/[^]*Granted, once\.\r\nran\r\n/u);
  assert.ok(await isThere(path.join(at.project, "made")));
  assert.deepEqual((await at.types()).slice(1), [
    "policy.decision ask",
    "approval.asked",
    "approval.answered granted terminal",
    "execution.opened",
    "execution.ended",
    "execution.changes",
    "execution.closed",
    "result.returned ok",
  ]);
});

for (const [what, keys] of [
  ["an empty line", "\n"],
  ["no", "no\n"],
  ["y, which is no code", "y\nyes\nY\n"],
  ["the end of input", "\u0004"],
] as const) {
  test(`${what} refuses with code 121, and nothing runs`, async (t) => {
    const at = await ground(t);
    const { seen, code } = await at.run("run --interactive -- touch made", [{ after: question, keys }]);
    assert.equal(code, 121, seen);
    assert.match(seen, /APPROVAL_REFUSED/u);
    assert.ok(!(await isThere(path.join(at.project, "made"))));
    assert.deepEqual((await at.types()).slice(1), [
      "policy.decision ask",
      "approval.asked",
      "approval.answered refused terminal",
      "result.returned denied",
    ]);
  });
}

test("ctrl-c at the question withdraws it", async (t) => {
  const at = await ground(t);
  const { seen, code } = await at.run("run --interactive -- touch made", [{ after: question, keys: "\u0003" }]);
  assert.equal(code, 121, seen);
  assert.match(seen, /APPROVAL_WITHDRAWN/u);
  assert.ok(!(await isThere(path.join(at.project, "made"))));
  assert.ok((await at.types()).includes("approval.answered withdrawn"));
});

test("nobody is asked without --interactive, with --json, or without a terminal: code 121 or 2, and nothing runs", async (t) => {
  const at = await ground(t);
  assert.match((await at.run("run -- touch made")).seen, /APPROVAL_UNAVAILABLE/u);
  assert.equal((await at.run("run --interactive --json -- touch made")).code, 2);
  // setsid: no controlling terminal, whatever stdin says.
  const words = [
    "--wait",
    process.execPath,
    commandLine,
    "run",
    "--interactive",
    "--policy",
    `${at.base}/policy.yaml`,
    "--project",
    at.project,
  ];
  const piped = await capture("/usr/bin/setsid", [...words, "--cwd", at.project, "--", "touch", "made"], {
    environment: at.environment,
    stdin: "y\nyes\n",
    timeoutMs: 120_000,
  });
  assert.equal(piped.code, 121, piped.stderr);
  assert.match(piped.stderr, /APPROVAL_UNAVAILABLE/u);
  assert.ok(!(await isThere(path.join(at.project, "made"))));
});

test("the command's input answers nothing: it reaches the command after the person has answered", async (t) => {
  const at = await ground(t);
  const line = `yes | head -100 | ${at.line("run --interactive --no-pty -- sh -c 'read word; echo [$word]'")}`;
  const { seen, code } = await atTerminal(line, { environment: at.environment, typings: [grant] });
  assert.equal(code, 0, seen);
  assert.match(seen, /NOT covered: \(what is typed or piped into it\)[^]*Granted, once\.\r\n\[y\]\r\n/u);
});

test("what is typed before the question is there answers nothing", async (t) => {
  const at = await ground(t);
  const line = `sleep 1; ${at.line("run --interactive -- touch made")}`;
  const typings: readonly Typing[] = [{ after: question, keys: "\n" }];
  const { seen, code } = await atTerminal(`printf start; ${line}`, {
    environment: at.environment,
    typings: [{ after: "start", keys: "y\nyes\naaaa\nbbbb\n" }, ...typings],
  });
  assert.equal(code, 121, seen);
  assert.ok(!(await isThere(path.join(at.project, "made"))));
});

test("a file that changes between the answer and the start is noticed: code 121, and nothing runs", async (t) => {
  const at = await ground(t);
  const script = path.join(at.project, "script.sh");
  await writeFile(script, "touch made\n");
  // The person's own hand changes the file, then answers: what would run is no longer what was shown.
  const change: Typing = {
    after: question,
    keys: (seen) => {
      void writeFile(script, "touch made other\n").then(() => {});
      return `${codeIn(seen)}\n`;
    },
  };
  const { seen, code } = await at.run("run --interactive -- sh script.sh", [change]);
  assert.match(seen, /file: \/.*script\.sh \(with its content as it is now; it lies in a write root/u);
  assert.equal(code, 121, seen);
  assert.match(seen, /APPROVAL_CHANGED/u);
  assert.ok(!(await isThere(path.join(at.project, "made"))));
  assert.ok((await at.types()).includes("result.returned refused"));
});

test("limits.pendingApprovals: 0 asks nobody", async (t) => {
  const at = await ground(t, "approval: regular\nlimits: {pendingApprovals: 0}\n");
  const { seen, code } = await at.run("run --interactive -- touch made");
  assert.equal(code, 121, seen);
  assert.match(seen, /APPROVAL_LIMIT/u);
});

test("a rule with `ask` asks, an allow rule does not under `regular`, and `never` denies what would ask", async (t) => {
  const rules =
    "commands: [{id: r, match: {argvPrefix: [touch]}, verdict: ask, reason: why not}, {id: a, match: {argvPrefix: ['true']}, verdict: allow}]\n";
  const asking = await (await ground(t, rules)).run("run --interactive -- touch made", [{ after: question, keys: "\n" }]);
  assert.match(asking.seen, /rule: r[^]*its reason: 'why not'/u);
  assert.equal((await (await ground(t, `approval: regular\n${rules}`)).run("run --interactive -- true")).code, 0);
  const never = await (await ground(t, `approval: never\n${rules}`)).run("run --interactive -- touch made");
  assert.equal(never.code, 120, never.seen);
});

test("input that is a whole file is covered by the answer", async (t) => {
  const at = await ground(t);
  await writeFile(path.join(at.base, "input"), "from the file\n");
  const line = `${at.line("run --interactive --no-pty -- cat")} < ${at.base}/input`;
  const { seen, code } = await atTerminal(line, { environment: at.environment, typings: [grant] });
  assert.equal(code, 0, seen);
  assert.match(seen, /input: \(with its content as it is now\)/u);
  assert.doesNotMatch(seen, /NOT covered/u);
  assert.match(seen, /Granted, once\.\r\nfrom the file\r\n/u);
});

test("while the question stands, nothing from a sandbox in the background is written beside it", async (t) => {
  const at = await ground(t, "");
  await writeFile(path.join(at.base, "asking.yaml"), "apiVersion: glovebox/v1\napproval: regular\n");
  const ticks = path.join(at.project, "ticks");
  const count = (): number => (existsSync(ticks) ? readFileSync(ticks).length : 0);
  // It writes a line that could pass for a question, notes it, and goes on.
  const forger = "while :; do echo FORGED; printf x >> ticks; sleep 0.02; done";
  const asking = at.line("run --interactive -- true").replace("policy.yaml", "asking.yaml");
  // `wait` also returns when a job is stopped: the end of the process itself is awaited.
  const line = `set -m; ${at.line(`run --no-pty -- sh -c '${forger}'`)} & until [ -s ${ticks} ]; do sleep 0.05; done; ${asking}; echo code $?; kill %1; while kill -CONT $! 2>&-; do sleep 0.05; done`;
  const typings: readonly Typing[] = [
    {
      after: /anything else refuses: /u,
      keys: (seen) => {
        const from = count();
        // The background sandbox goes on meanwhile; its output waits.
        while (count() < from + 20) readFileSync("/proc/self/stat");
        return `${codeIn(seen)}\n`;
      },
    },
  ];
  const { seen } = await atTerminal(line, { environment: at.environment, typings });
  assert.match(seen, /FORGED/u, "the control: it writes to this terminal when nobody is asked");
  assert.match(seen, /code 0/u, seen);
  const question = seen.slice(seen.indexOf("Glovebox asks you"), seen.indexOf("Granted, once."));
  assert.doesNotMatch(question, /FORGED/u);
});

test("what a program left at the terminal answers no later question: typed-in input, a terminal's own replies, a hidden screen", async (t) => {
  const at = await ground(t, "");
  await writeFile(path.join(at.base, "asking.yaml"), "apiVersion: glovebox/v1\napproval: regular\n");
  // TIOCSTI for each letter of an answer; then the terminal is asked to report, and what comes is hidden.
  const push = [
    "import fcntl, os",
    "terminal = os.open('/dev/tty', os.O_RDWR)",
    "try: [fcntl.ioctl(terminal, 0x5412, bytes([letter])) for letter in b'yes\\ny\\naaaa\\n']",
    "except OSError: pass",
    "os.write(terminal, b'\\x1b[?1049h\\x1b[8m\\x1b[6n\\x1b[c')",
    "print('left')",
  ];
  await writeFile(path.join(at.project, "hostile.py"), push.join("\n"));
  const asking = at.line("run --interactive -- touch made").replace("policy.yaml", "asking.yaml");
  const line = `${at.line("run -- python3 hostile.py")}; exec ${asking}`;
  const typings: readonly Typing[] = [
    // What a terminal would reply, late.
    { after: "left", keys: "\u001B[1;1R\u001B[?62cy\nyes\n" },
    { after: question, keys: "\n" },
  ];
  const { seen, code } = await atTerminal(line, { environment: at.environment, typings });
  assert.equal(code, 121, seen);
  assert.ok(seen.includes("\u001B[8m\u001B[6n"), "the control: the program drew on this terminal");
  assert.ok(seen.includes("\u001B[?1049l\u001B[!p\u001B[0m"), "the question begins on a fresh screen");
  assert.ok(!(await isThere(path.join(at.project, "made"))));
});
