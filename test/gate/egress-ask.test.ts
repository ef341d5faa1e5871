// A connection waits while a person is asked at a real terminal, in front of the test internet; nothing from inside the sandbox can answer. INVARIANT I-12
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { commandLine } from "../fixtures/command-line.ts";
import { atTerminal, codeIn, type TerminalRun, type Typing } from "../fixtures/at-terminal.ts";
import { atOtherTerminal } from "../fixtures/other-terminal.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let asking: Gloved;
let regular: Gloved;

const rules = `egress:
  - {id: api, hosts: [api.example.com], ports: [443], protocols: [https], verdict: ask, reason: is it needed}
  - {id: never, hosts: [evil.test], verdict: deny}
`;
const byDefault = `approval: regular
commands: [{id: shell, match: {argvPrefix: [/bin/sh]}, verdict: allow}]
`;

before(async () => {
  internet = await openInternet(resources);
  asking = await makeGloved(internet, rules, "asking");
  regular = await makeGloved(internet, byDefault, "regular");
  for (const { project } of [asking, regular]) await copyFile(internet.authority, path.join(project, "authority.pem"));
});
after(() => resources.disposeAsync());

const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");

/** `run --interactive` of a shell script, at a terminal on the machine of the test internet. */
function atMachine(gloved: Gloved, script: string, typings: readonly Typing[], flags: readonly string[] = []): Promise<TerminalRun> {
  return atTerminal(`exec ${quoted(gloved.words(["/bin/sh", "-c", script], ["--interactive", ...flags]))}`, {
    environment: { ...gloved.environment, NO_COLOR: "1" },
    typings,
    start: (argv, environment) => internet.start("machine", argv, { environment, stdin: "pipe" }),
  });
}

/** The n-th question stands. */
const question = (nth = 1): RegExp => new RegExp(`(?:let it connect; anything else refuses: [^]*?){${nth}}$`, "u");
const grant = (nth = 1): Typing => ({ after: question(nth), keys: (seen) => `${codeIn(seen)}\n` });
const refuse: Typing = { after: question(), keys: "\n" };
const get = "curl -sS --max-time 60 --cacert authority.pem";
const captured = `env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY ${get}`;
const arrivedAt = (url: string): boolean => internet.arrivals.some((arrival) => arrival.kind === "http" && arrival.url === url);
const questionsIn = ({ seen }: TerminalRun): number => seen.split("may this task connect to this place?").length - 1;

test("a connection waits for the answer, by whatever way it came, and each place is asked about once", async () => {
  const script = `${captured} https://api.example.com/ask-1; ${get} https://api.example.com/ask-2; ${captured} https://api.example.com/ask-3`;
  const run = await atMachine(asking, script, [grant()]);
  assert.match(
    run.seen,
    /connects to: api\.example\.com\r\n.*port: 443[^]*speaks: https [^]*asked by: curl [^]*rule: api[^]*its reason: 'is it needed'/u,
  );
  assert.equal(run.seen.match(/"reached"/gu)?.length, 3, run.seen);
  assert.equal(questionsIn(run), 1);
  const { stdout } = await asking.glovebox("ledger", "ls", "--json");
  for (const type of ["approval.asked", "approval.answered", "egress.decision"]) assert.ok(stdout.includes(type), stdout);
  assert.match(stdout, /"approval": "q-[^]*"reason": "approved"|"reason": "approved"[^]*"approval": "q-/u);
  assert.equal((await asking.glovebox("ledger", "verify")).code, 0);
});

test("what a person refuses does not leave, for the whole task, and the run says so at its end", async () => {
  const run = await atMachine(asking, `${get} https://api.example.com/no-1; ${captured} https://api.example.com/no-2`, [refuse]);
  assert.equal(questionsIn(run), 1);
  assert.match(run.seen, /Refused\.[^]*api\.example\.com port 443: a person refused it, for this task/u);
  assert.ok(!arrivedAt("/no-1") && !arrivedAt("/no-2"));
});

test("where nobody can be asked the connection is refused at once, with what to do", async () => {
  const { stdout, stderr } = await asking.run(["/bin/sh", "-c", `${captured} https://api.example.com/nobody`]);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /needs a person's approval, and nobody can be asked here .*--interactive .*hosts: \[api\.example\.com\], verdict: allow/u,
  );
  assert.ok(!arrivedAt("/nobody"));
});

test("under `approval: regular` a public place that no rule is about is asked about, and a private one never", async () => {
  const script = `${get} https://evil.test/by-default; ${captured} -k https://93.10.0.1/by-address; ${captured} -k https://10.1.2.3/inward; ${captured} -k https://inward.pkg.example.org/inward`;
  const run = await atMachine(regular, script, [grant(1), grant(2), grant(3)]);
  assert.match(run.seen, /connects to: evil\.test\r\n/u);
  assert.match(run.seen, /connects to: 93\.10\.0\.1 \(an address, not a name\)/u);
  assert.doesNotMatch(run.seen, /connects to: 10\./u);
  assert.equal(questionsIn(run), 3, run.seen);
  assert.deepEqual([arrivedAt("/by-default"), arrivedAt("/by-address"), arrivedAt("/inward")], [true, true, false]);
});

for (const [how, flags] of [
  ["with a terminal of its own", []],
  ["with pipes", ["--no-pty"]],
] as const) {
  test(`while a question stands, a command ${how} neither prints nor reads`, async () => {
    // It prints without end, and keeps whatever is typed.
    const start = "exec 3<&0; cat <&3 > typed & while :; do echo FORGED; sleep 0.02; done &";
    const end = "until grep -q afterwards typed; do sleep 0.02; done";
    const script = `${start} ${get} https://api.example.com/held -o /dev/null -w 'code %{http_code}\\n'; ${end}`;
    const run = await atMachine(asking, script, [grant(), { after: "code 200", keys: "afterwards\n" }], flags);
    assert.match(run.seen, /FORGED/u, "the control: it prints when nobody is asked");
    const standing = run.seen.slice(run.seen.indexOf("Glovebox asks you"), run.seen.indexOf("Granted, for this task."));
    assert.doesNotMatch(standing, /FORGED/u);
    assert.equal((await readFile(path.join(asking.project, "typed"), "utf8")).trim(), "afterwards");
    assert.match(run.seen, /code 200/u, run.seen);
  });
}

test("the end of a task withdraws its question, and the terminal is as it was", async () => {
  const line = `trap : INT; stty -a > before; ${quoted(asking.words(["/bin/sh", "-c", `${get} https://api.example.com/late`], ["--interactive"]))}; stty -a > after; cmp before after && echo SAME`;
  const run = await atTerminal(`cd '${asking.project}' && ${line}`, {
    environment: { ...asking.environment, NO_COLOR: "1" },
    typings: [{ after: question(), keys: "\u0003" }],
    start: (argv, environment) => internet.start("machine", argv, { environment, stdin: "pipe" }),
  });
  assert.match(run.seen, /may this task connect/u);
  assert.match(run.seen, /SAME/u, run.seen);
  assert.ok(!arrivedAt("/late"));
});

/** The id of the open question, once there is one. */
async function waitingApproval(gloved: Gloved): Promise<string> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const id = /q-[0-9a-f-]+/u.exec((await gloved.glovebox("approval", "ls")).stdout)?.[0];
    if (id !== undefined) return id;
    assert.ok(Date.now() < deadline, "no question came");
  }
}

test("a connection of a sandbox that outlives its commands waits for a person at another terminal", async () => {
  const places = ["--policy", path.join(internet.directory, "asking.yaml"), "--project", asking.project];
  const opened = await asking.glovebox("sandbox", "open", ...places);
  const sandbox = opened.stdout.trim();
  try {
    const script = `${captured} https://api.example.com/elsewhere-1; ${get} https://api.example.com/elsewhere-2`;
    const ran = asking.glovebox("sandbox", "exec", sandbox, "--", "/bin/sh", "-c", script);
    const id = await waitingApproval(asking);
    assert.ok(!arrivedAt("/elsewhere-1"));
    const line = `'${process.execPath}' '${commandLine}' approval approve ${id}`;
    const answered = await atOtherTerminal(line, {
      environment: { ...asking.environment, NO_COLOR: "1" },
      typings: [grant()],
      start: (argv, environment) => internet.start("machine", argv, { environment, stdin: "pipe" }),
    });
    assert.match(answered.seen, /connects to: api\.example\.com[^]*Granted, for this task\./u);
    assert.equal((await ran).stdout.match(/"reached"/gu)?.length, 2, answered.seen);
  } finally {
    await asking.glovebox("sandbox", "close", sandbox);
    await asking.glovebox("broker", "--stop");
  }
});
