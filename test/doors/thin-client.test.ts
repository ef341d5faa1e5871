// `sandbox exec` by the thin client: the same as the Node command does, byte for byte, and handed on to it where it would be another. INVARIANT I-01
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { doorSocket } from "../../src/broker/state-layout.ts";
import type { SandboxAccess } from "../../src/contracts/sandbox-door.ts";
import { version } from "../../src/contracts/version.ts";
import { creditFrame, dataFrame, emptyFrame, helloFrame } from "../../src/door/door-frames.ts";
import { frameTypes } from "../../src/door/protocol.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { serveBroker } from "../fixtures/served-broker.ts";
import { type ClientOptions, type ClientPlace, clientProgram, type Ended, makeOtherwise, runClient } from "../fixtures/thin-client.ts";

interface Place extends ClientPlace {
  readonly access: SandboxAccess;
  run(words: readonly string[], options?: ClientOptions & { readonly input?: string | Buffer }): Promise<Ended>;
}

async function openPlace(t: TestContext): Promise<Place> {
  const served = await serveBroker(t);
  const place = { t, served, otherwise: await makeOtherwise(served.state) };
  return { ...place, access: await served.open(), run: (words, options) => runClient(place, words, options) };
}

const node = [process.execPath, commandLine] as const;
const shown = ({ code, stdout, stderr }: Ended) => ({ code, stdout: stdout.toString("latin1"), stderr });

/** Words after the sandbox, and what they are run with. */
const alike: readonly (readonly [readonly string[], (ClientOptions & { readonly input?: string })?])[] = [
  [["--", "sh", "-c", "echo out; echo err >&2; exit 7"]],
  [["--", "sh", "-c", "kill -TERM $$"]],
  [["--", "no-such-program"]],
  [["--", "/etc/passwd"]],
  [["--lang", "zh", "--", "no-such-program"]],
  [["--", "no-such-program"], { environment: { LC_ALL: "zh_CN.UTF-8" } }],
  [["--cwd", "/usr", "--", "pwd"]],
  [
    ["--env", "A=1", "--env=B=2", "--env", "A=3", "--", "sh", "-c", "echo $A $B $LANG [$SECRET]"],
    { environment: { LANG: "C", SECRET: "x" } },
  ],
  [["--", "cat"], { input: "what it reads" }],
  [["--", "printf", "%s|", "a b", "", "\u00E9\n", "'"]],
  [["--", "sh", "-c", "exec 1>&- 2>&-"]],
  [["--pty", "--", "sh", "-c", "stty size; test -t 1 && echo terminal"]],
];

test("the thin client and the Node command say and return the same", async (t) => {
  const place = await openPlace(t);
  // A directory that is there outside alone.
  for (const [words, options] of [...alike, [["--cwd", place.served.state, "--", "pwd"]] as const]) {
    const line = ["sandbox", "exec", place.access.sandbox, ...words];
    const [thin, thick] = await Promise.all([place.run(line, options), place.run(line, { ...options, program: node })]);
    assert.deepEqual(shown(thin), shown(thick), line.join(" "));
  }
});

test("the thin client hands on what it does not understand, with the same words and an untouched input", async (t) => {
  const { access, run, served } = await openPlace(t);
  await mkdir(path.join(served.project, "below"));
  await symlink("below", path.join(served.project, "link"));
  const { sandbox } = access;
  const lines = [
    ["sandbox", "exec"],
    ["sandbox", "exec", sandbox],
    ["sandbox", "exec", sandbox, "--"],
    ["sandbox", "exec", sandbox, "echo", "x"],
    ["sandbox", "exec", sandbox, "--json", "--", "true"],
    ["sandbox", "exec", sandbox, "--detach", "--", "true"],
    ["sandbox", "exec", sandbox, "--pty", "--no-pty", "--", "true"],
    ["sandbox", "exec", sandbox, "--env", "1=2", "--", "true"],
    ["sandbox", "exec", sandbox, "--env", "--", "true"],
    ["sandbox", "exec", sandbox, "--cwd", "a", "--cwd", "b", "--", "true"],
    ["sandbox", "exec", sandbox, "--cwd", "gone", "--", "true"],
    ["sandbox", "exec", sandbox, "--cwd", "link/..", "--", "true"],
    ["sandbox", "exec", sandbox, "--lang", "fr", "--", "true"],
    ["sandbox", "exec", sandbox, sandbox, "--", "true"],
    ["sandbox", "exec", "s-0193f0c2a1b2-4d5e6f708192", "--", "true"],
    ["sandbox", "exec", "../door/open", "--", "true"],
    ["sandbox", "ls"],
  ];
  for (const words of lines) {
    const { stdout, code } = await run(words, { input: "input" });
    assert.equal(stdout.toString(), ["otherwise", ...words.map((word) => `[${word}]`), "input"].join("\n"));
    assert.equal(code, 0);
  }
});

/** Says these bytes to whoever connects, where a broker of this state would listen. @returns the directory for XDG_RUNTIME_DIR */
async function speakFrom(
  t: TestContext,
  { state, name }: { readonly state: string; readonly name: string },
  words: Buffer,
): Promise<string> {
  const directory = path.join(state, name);
  await mkdir(path.join(directory, "glovebox"), { recursive: true });
  const server = createServer((socket) => void socket.on("error", () => {}).end(words));
  server.listen(doorSocket({ state, runtime: path.join(directory, "glovebox") }));
  await once(server, "listening");
  t.after(() => void server.close());
  return directory;
}

test("the thin client hands on when nobody listens, and when another version does; it says so when a broker breaks", async (t) => {
  const { access, run, served } = await openPlace(t);
  const words = ["sandbox", "exec", access.sandbox, "--", "true"];
  const from = async (name: string, said: Buffer): Promise<Ended> =>
    run(words, { environment: { XDG_RUNTIME_DIR: await speakFrom(t, { state: served.state, name }, said) }, input: "input" });
  const nobody = await run(words, { environment: { XDG_RUNTIME_DIR: served.project }, input: "input" });
  const handedOn = [nobody, await from("a", helloFrame("0.0.0")), await from("b", Buffer.alloc(0)), await from("c", Buffer.from("GET /"))];
  for (const { stdout } of handedOn) assert.match(stdout.toString(), /^otherwise\n[^]*input$/u);
  const hello = helloFrame(version);
  const broken = [
    Buffer.concat([hello, hello]),
    Buffer.concat([hello, Buffer.from("something else")]),
    Buffer.concat([hello, emptyFrame(frameTypes.result, 1)]),
    Buffer.concat([hello, dataFrame(frameTypes.stdout, 2, Buffer.from("x"))]),
    Buffer.concat([hello, creditFrame(1, "stdin", 1)]),
    Buffer.concat([hello, creditFrame(1, "stdout", 1)]),
  ];
  for (const [index, said] of broken.entries()) {
    const { code, stderr } = await from(`broken-${index}`, said);
    assert.deepEqual([code, /code: (\w+)/u.exec(stderr)?.[1]], [125, "BROKER_PROTOCOL"], String(index));
  }
});

test("bytes pass the thin client unharmed in both directions: a line of 10 MB, NULs, and what is no text", async (t) => {
  const { access, run } = await openPlace(t);
  const line = Buffer.alloc(10 << 20, "long line ");
  const input = Buffer.concat([line, Buffer.from([0, 0xff, 0x0a, 0]), randomBytes(1 << 20)]);
  const { code, stdout, stderr } = await run(["sandbox", "exec", access.sandbox, "--", "cat"], { input });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(stdout.equals(input));
  const program = ["/bin/sh", "-c", `exec "$0" /bin/false "$@" "$(printf '\\377A')"`, clientProgram] as const;
  const argument = await run(["sandbox", "exec", access.sandbox, "--", "printf", "%s"], { program });
  assert.deepEqual([...argument.stdout], [0xff, 0x41]);
});

test("no descriptor of whoever calls the thin client is there inside", async (t) => {
  const { access, run, served } = await openPlace(t);
  const script = `exec 7</etc/hostname 8>"$0/made"; exec "$@"`;
  const program = ["/bin/sh", "-c", script, served.project] as const;
  const client = [...program, clientProgram, "/bin/false"] as const;
  const inside = ["sandbox", "exec", access.sandbox, "--", "sh", "-c", "ls /proc/self/fd; readlink /proc/self/fd/0 /proc/self/fd/1"];
  const outside = await run(["/bin/sh", "-c", "ls /proc/self/fd"], { program });
  assert.match(outside.stdout.toString(), /^7\n8$/mu); // the control: they would be inherited
  const { stdout } = await run(inside, { program: client });
  assert.doesNotMatch(stdout.toString(), /^[5-9]$/mu);
  assert.match(stdout.toString(), /pipe:.*\npipe:/u);
  assert.equal(await readFile(path.join(served.project, "made"), "utf8"), "");
});
