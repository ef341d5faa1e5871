// What a task is given to read: copies that nobody changes, of what the policy lets be read, of nothing behind a link, bounded, recorded, and gone
// with the task. INVARIANT I-04, I-05, I-09, I-10
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { RunResult } from "../../src/contracts/door.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-inputs-")));
await chmod(base, 0o755);
const project = path.join(base, "project");
const outside = path.join(base, "outside");
const state = path.join(base, "state");
for (const directory of [project, outside, state]) mkdirSync(directory, { mode: 0o700 });
const door = composeDoor({ environment: { XDG_STATE_HOME: state }, installation });
const tasks = path.join(state, "glovebox/tasks");
after(async () => {
  await door.close();
  await removeScratch(base);
});

const boundaries: Readonly<Record<string, object>> = {
  process: { boundary: "process" },
  strict: { boundary: "process", filesystem: { strict: true } },
  runc: { boundary: "container", container: { runtime: "runc" } },
  crun: { boundary: "container", container: { runtime: "crun" } },
};

/** A directory of a test's own on the host, outside every project. */
let made = 0;
function given(): string {
  const directory = path.join(outside, `given-${(made += 1)}`);
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

interface Ran {
  readonly result: RunResult;
  readonly output: string;
}

/** @param onLine called with the first output; then the command gets a line of input */
async function run(script: string, inputs: readonly string[], overrides: object, onLine?: () => void): Promise<Ran> {
  const heard = Promise.withResolvers<void>();
  async function* answer(): AsyncGenerator<Uint8Array> {
    await heard.promise;
    onLine?.();
    yield Buffer.from("go on\n");
  }
  let output = "";
  const io = {
    signal: new AbortController().signal,
    ...(onLine === undefined ? {} : { stdin: answer() }),
    onOutput: async ({ bytes }: { readonly bytes: Uint8Array }) => {
      output += Buffer.from(bytes).toString();
      heard.resolve();
    },
    onStart: () => {},
  };
  const argv = ["sh", "-c", script] as const;
  const request = { policy: { projectDirectory: project, overrides: { ...overrides } }, argv, cwd: project, callerEnvironment: {}, inputs };
  return { result: await door.run(request, io), output };
}

async function refusal(inputs: readonly string[], overrides: object = {}): Promise<string> {
  const marker = path.join(project, "ran");
  const error = await run(`touch ${marker}`, inputs, overrides).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GloveboxError, `nothing was refused: ${String(error)}`);
  assert.deepEqual([readdirSync(project), readdirSync(tasks)], [[], []]);
  return `${error.code} ${error.situation} ${String(error.values["path"])}`;
}

/** What changes a directory, each part for itself. */
const attack = [
  "echo over > $D/a.txt && echo wrote",
  "echo more >> $D/tree/b.txt && echo appended",
  "rm -f $D/a.txt && echo removed",
  "mv $D/tree $D/other && echo moved",
  "chmod 777 $D/tree/b.txt && echo opened",
  "ln -sf /etc/passwd $D/a.txt && echo linked",
  "touch $D/new && echo made",
].join("; ");

const effects = ["wrote", "appended", "removed", "moved", "linked", "made"];

for (const [name, overrides] of Object.entries(boundaries)) {
  test(`${name}: a command reads what it was given, changes none of it, and what the host changes afterwards is not its copy's`, async () => {
    const directory = given();
    mkdirSync(path.join(directory, "tree"));
    writeFileSync(path.join(directory, "a.txt"), "first\n", { mode: 0o600 });
    writeFileSync(path.join(directory, "tree/b.txt"), "second\n", { mode: 0o600 });
    const inputs = [path.join(directory, "a.txt"), path.join(directory, "tree")];
    const script = `cat $INPUT_DIR/a.txt $INPUT_DIR/tree/b.txt; ls $INPUT_DIR; read word; D=$INPUT_DIR; ${attack}; cat $INPUT_DIR/a.txt $INPUT_DIR/tree/b.txt`;
    const { output } = await run(`exec 2>/dev/null; ${script}`, inputs, overrides, () => {
      for (const file of ["a.txt", "tree/b.txt"]) writeFileSync(path.join(directory, file), "changed by the host\n");
    });
    assert.equal(output, "first\nsecond\na.txt\ntree\nfirst\nsecond\n");
    assert.equal(readFileSync(path.join(directory, "a.txt"), "utf8"), "changed by the host\n");
    // Outside every part succeeds.
    const { stdout } = await capture("/bin/sh", ["-c", `D=${directory}; ${attack}`]);
    for (const effect of effects.filter((word) => word !== "appended")) assert.match(stdout, new RegExp(`^${effect}$`, "mu"));
    assert.deepEqual(readdirSync(tasks), []);
  });

  test(`${name}: a link in a directory is a link: nothing of the host behind it is copied, whatever the names are`, async () => {
    const directory = given();
    const secret = path.join(given(), "secret");
    writeFileSync(secret, "canary-behind-link");
    for (const odd of ["a b", "-rf", "new\nline", "é 中文"]) writeFileSync(path.join(directory, odd), odd);
    writeFileSync(Buffer.from(`${directory}/not\xffutf8`, "latin1"), "bytes");
    symlinkSync(secret, path.join(directory, "out"));
    symlinkSync(path.dirname(secret), path.join(directory, "tree"));
    symlinkSync("a b", path.join(directory, "in"));
    assert.equal(readFileSync(path.join(directory, "tree/secret"), "utf8"), "canary-behind-link");
    const inside = `cd "$INPUT_DIR/${path.basename(directory)}" && cat in; echo; cat out tree/secret; find . -type f -printf x | wc -c; cat ./n*8; readlink out`;
    const { output } = await run(`exec 2>&1; ${inside}`, [directory], overrides);
    assert.doesNotMatch(output, /canary-behind-link/u);
    assert.match(output, /^a b\n/u);
    assert.match(output, new RegExp(`^5\nbytes${secret}\n$`, "mu"));
  });
}

test("what is no file, directory or link is refused by name, and nothing waits or runs", async () => {
  const directory = given();
  const pipe = path.join(directory, "pipe");
  await capture("/usr/bin/mkfifo", [pipe]);
  const server = path.join(directory, "socket");
  await capture("/usr/bin/python3", ["-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", server]);
  assert.equal(await refusal([pipe]), `INPUT_REFUSED input.kind ${pipe}`);
  assert.equal(await refusal([server]), `INPUT_REFUSED input.kind ${server}`);
  assert.equal(await refusal(["/dev/zero"]), "INPUT_REFUSED input.kind /dev/zero");
  assert.equal(await refusal([directory]), `INPUT_REFUSED input.kind ${pipe}`);
  assert.equal(await refusal([path.join(directory, "none")]), `INPUT_REFUSED input.missing ${path.join(directory, "none")}`);
  assert.equal(await refusal([directory, path.join(given(), "..", path.basename(directory))]), `INPUT_REFUSED input.twice ${directory}`);
  assert.equal(await refusal(["/"]), "INPUT_REFUSED input.root /");
  const many = Array.from({ length: 65 }, (_, index) => path.join(directory, String(index)));
  assert.equal(await refusal(many), "INPUT_REFUSED input.too-many-named 65");
});

test("what the policy denies to read is not handed in: a file, a part of a directory, behind a link, or our own state", async () => {
  const directory = given();
  mkdirSync(path.join(directory, "deep"));
  const secret = path.join(directory, "deep/.env");
  writeFileSync(secret, "canary");
  const link = path.join(given(), "link");
  symlinkSync(secret, link);
  const literal = { filesystem: { denyRead: [path.join(directory, "deep")] } };
  const glob = { filesystem: { denyRead: [`${outside}/**/.env`] } };
  assert.equal(await refusal([secret], literal), `POLICY_DENIED input.denied ${secret}`);
  for (const named of [secret, directory, link]) assert.equal(await refusal([named], glob), `POLICY_DENIED input.denied ${secret}`);
  const own = realpathSync(path.join(state, "glovebox"));
  assert.equal(await refusal([state]), `INPUT_REFUSED input.own-state ${own}`);
  // Without a rule it is handed in: whoever calls names it.
  assert.match((await run("cat $INPUT_DIR/link $INPUT_DIR/.env", [secret], boundaries["runc"] ?? {})).output, /canary/u);
});

test("the limit of disk bounds all inputs together, and a sparse file counts what it would take", async () => {
  const directory = given();
  for (const file of ["one", "two"]) writeFileSync(path.join(directory, file), Buffer.alloc(700 * 1024));
  const limits = { limits: { disk: "1MiB" } };
  assert.equal(await refusal([directory], limits), `INPUT_REFUSED input.too-large ${path.join(directory, "two")}`);
  truncateSync(path.join(directory, "one"), 2 ** 40);
  assert.equal(await refusal([path.join(directory, "one")], limits), `INPUT_REFUSED input.too-large ${path.join(directory, "one")}`);
});

test("name, size and hash are in the record and on the sheet, of the run and later; files alone are bytes, a directory its entries", async () => {
  const directory = given();
  const file = path.join(directory, "data.csv");
  const [tree, inner] = [path.join(directory, "tree"), path.join(directory, "tree/x")];
  writeFileSync(file, "1,2\n");
  mkdirSync(tree);
  writeFileSync(inner, "x");
  symlinkSync("x", path.join(tree, "y"));
  const sha256 = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");
  const entries = `directory \0${sha256("x")} x\0link ${sha256("x")} y\0`;
  const { result } = await run("true", [file, tree], boundaries["runc"] ?? {});
  const records = await door.records({ task: result.task, limit: 100 });
  const record = records.find(({ type }) => type === "execution.inputs");
  assert.deepEqual(record?.detail?.["inputs"], [
    { name: "data.csv", kind: "file", files: 1, bytes: 4, sha256: sha256("1,2\n"), from: file },
    { name: "tree", kind: "directory", files: 1, bytes: 1, sha256: sha256(entries), from: tree },
  ]);
  const opened = records.find(({ type }) => type === "execution.opened");
  assert.ok((record?.seq ?? 0) < (opened?.seq ?? 0));
  for (const sheet of [result.sheet, await door.explainTask(result.task)]) {
    const read = sheet.answers.find(({ question }) => question === "read")?.lines ?? [];
    const keys = read.filter(({ key }) => key.startsWith("task.read.input")).map(({ key, values }) => [key, values?.["name"]]);
    assert.deepEqual(keys, [
      ["task.read.input-file", "data.csv"],
      ["task.read.input-directory", "tree"],
    ]);
  }
  assert.equal((await door.verify({})).exit, 0);
  const none = await run("echo ${INPUT_DIR-none}", [], boundaries["runc"] ?? {});
  assert.equal(none.output, "none\n");
});
