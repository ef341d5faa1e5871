// What the mediator does to programs: the same as the kernel, except where a rule refuses; and its end is the sandbox's end. What cannot be
// planted is in test/escape. INVARIANT I-04
import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import type { RefusedCalls, Sandbox } from "../../src/contracts/boundary.ts";
import { type GlobSegment, literalSegments } from "../../src/kit/path-glob.ts";
import { capture } from "../../src/kit/spawn.ts";
import { descendants, eventually } from "./guard-fixture.ts";
import { base, installation, makeWorld, open, runIn, type World } from "./process-boundary-fixture.ts";

async function build(name: string): Promise<string> {
  const program = path.join(base, name);
  const source = path.join(installation, "test/fixtures", `${name}.c`);
  const flags = ["-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-o", program];
  const { code, stderr } = await capture("/usr/bin/gcc", [...flags, source], {
    environment: { PATH: "/usr/bin:/bin" },
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  return program;
}

interface Shell {
  readonly output: string;
  readonly refused: RefusedCalls;
}

async function shell(sandbox: Sandbox, world: World, script: string): Promise<Shell> {
  const execution = await sandbox.exec({ argv: ["sh", "-c", `exec 2>&1; ${script}`], cwd: world.project });
  execution.endStdin();
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString("latin1");
  await execution.killTree();
  return { output, refused: execution.refusedCalls };
}

const configBefore = "[core]\n\tbare = false\n\tfsmonitor = /usr/bin/host-hook # by the host \\\n[alias]\n\tx = !one \\\n\t two\n";

/** Each is put in place of `configBefore` by a rename. */
const configs: readonly { readonly what: string; readonly text: string; readonly admitted: boolean }[] = [
  { what: "the same", text: configBefore, admitted: true },
  {
    what: "harmless keys more",
    text: `${configBefore}[user]\n\tname = A; B\n[branch "a/b"]\n\tremote = origin\n[remote "origin"]\n\turl = https://example.org/x\n`,
    admitted: true,
  },
  { what: "comments and spaces", text: `# one\n\n${configBefore}  ; two\n[user] ; three\n name=x\n\temail\n`, admitted: true },
  { what: "a key that executes less", text: "[core]\n\tbare = false\n", admitted: false },
  { what: "a key that executes, changed", text: configBefore.replace("host-hook", "own-hook"), admitted: false },
  { what: "a key that executes, more", text: `${configBefore}[core]\n\tpager = x\n`, admitted: false },
  { what: "a key that executes, spelled otherwise", text: `${configBefore}[CoRe]\n\tSSHCOMMAND = x\n`, admitted: false },
  { what: "a key after its header", text: `${configBefore}[core] pager = x\n`, admitted: false },
  { what: "a continued comment", text: `${configBefore}[user]\n\tname = x # \\\n[core]\n\tpager = y\n`, admitted: false },
  { what: "a quoted value that goes on", text: `${configBefore}[user]\n\tname = "x\n\tpager = y"\n`, admitted: false },
  { what: "an old-style subsection", text: `${configBefore}[filter.x]\n\tclean = y\n`, admitted: false },
  { what: "an include", text: `${configBefore}[include]\n\tpath = x\n`, admitted: false },
  { what: "an alias", text: configBefore.replace("one", "evil"), admitted: false },
  { what: "a continuation moved", text: configBefore.replace("\\\n\t two", "\\\n\t\\\n two"), admitted: false },
  { what: "another address for addresses", text: `${configBefore}[url "ext::sh"]\n\tinsteadOf = https:\n`, admitted: false },
  { what: "an address that starts a program", text: `${configBefore}[remote "o"]\n\turl = ext::sh -c x\n`, admitted: false },
  { what: "an address that is an option", text: `${configBefore}[remote "o"]\n\turl = --upload-pack=x\n`, admitted: false },
  { what: "an update that is a command", text: `${configBefore}[submodule "s"]\n\tupdate = !x\n`, admitted: false },
  { what: "a work tree outside", text: `${configBefore}[core]\n\tworktree = /etc\n`, admitted: false },
  { what: "a work tree outside behind a comment", text: `${configBefore}[core]\n\tworktree = /etc#/../..\n`, admitted: false },
  { what: "a work tree inside", text: `${configBefore}[core]\n\tworktree = ../docs\n`, admitted: true },
  { what: "a carriage return", text: `${configBefore}[user]\r\n\tname = x\n`, admitted: false },
  { what: "a header in a subsection's quotes", text: `${configBefore}[branch "a\\"]\n[core]"]\n\tmerge = x\n`, admitted: false },
];

suite("the mediator", { timeout: 120_000 }, () => {
  for (const { name, lines, strict = false } of [
    { name: "mediated-calls", lines: 100 },
    { name: "connected-calls", lines: 60 },
    { name: "attribute-calls", lines: 80 },
    { name: "attribute-calls", lines: 80, strict: true },
  ]) {
    test(`each call of ${name} gives a program the same inside as outside${strict ? ", also in strict mode" : ""}`, async () => {
      const program = await build(name);
      const world = await makeWorld();
      await mkdir(path.join(world.project, "inside"));
      const outside = path.join(world.home, "outside");
      await mkdir(outside);
      const expected = await capture(program, [outside], { environment: {}, timeoutMs: 120_000 });
      const sandbox = await open(world.spec({ allowRead: [program], strict }));
      const { output } = await runIn(sandbox, [program, "inside"], world.project);
      assert.ok(output.split("\n").length > lines, output);
      assert.deepEqual(output.split("\n"), expected.stdout.split("\n"));
    });
  }

  test("a configuration of git changes only in harmless keys", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const target = path.join(world.project, ".git/config");
    await mkdir(path.dirname(target));
    for (const { what, text, admitted } of configs) {
      await writeFile(target, configBefore);
      await writeFile(path.join(world.project, "new"), text);
      await shell(sandbox, world, "cp new .git/config.lock && mv .git/config.lock .git/config");
      assert.equal(await readFile(target, "utf8"), admitted ? text : configBefore, what);
    }
  });

  test("several commands that make, rename and remove at once do not disturb each other", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const script = (name: string) =>
      `mkdir ${name}; for i in $(seq 60); do echo $i > ${name}/f; mv ${name}/f ${name}/g; done; cat ${name}/g`;
    const names = Array.from({ length: 8 }, (_, index) => `d${index}`);
    const results = await Promise.all(names.map((name) => shell(sandbox, world, script(name))));
    assert.deepEqual(new Set(results.map(({ output }) => output)), new Set(["60\n"]));
  });

  /** As most programs write a file: open, write, close. Prints what they got. */
  const writers: readonly { readonly what: string; readonly write: (text: string, to: string) => string }[] = [
    {
      what: "python",
      write: (text, to) =>
        `python3 -c "
import errno
try:
  with open('${to}', 'w') as f: f.write('${text}\\n')
except OSError as e: print(errno.errorcode[e.errno])"`,
    },
    {
      what: "several pieces at once",
      write: (text, to) =>
        `python3 -c "
import errno, os
try: os.writev(os.open('${to}', os.O_WRONLY | os.O_CREAT | os.O_TRUNC), [b'${text}', b'\\n'])
except OSError as e: print(errno.errorcode[e.errno])"`,
    },
    { what: "cp", write: (text, to) => `echo "${text}" > text; LC_ALL=C cp text ${to} 2>&1 | grep -q "Permission denied" && echo EACCES` },
  ];

  for (const { what, write } of writers) {
    test(`a pointer file is there when ${what} has written it, and a write that would not make one is refused with EACCES`, async () => {
      const world = await makeWorld();
      const sandbox = await open(world.spec());
      const script = `mkdir t; ${write("gitdir: docs", ".git")}; cat .git; ${write("gitdir: /usr", "t/.git")}; ls -A t; ${write("gitdir: /usr", ".git")}; cat .git`;
      const { output, refused } = await shell(sandbox, world, script);
      assert.equal(output, "gitdir: docs\nEACCES\nEACCES\ngitdir: docs\n");
      const refusal = { call: "open", errno: "EACCES", rule: "gitPointer" };
      assert.deepEqual(
        refused.first.map(({ call, errno, rule }) => ({ call, errno, rule })),
        [refusal, refusal],
      );
    });
  }

  test("a shell's redirection into a pointer file fails with EBADF; what is opened and never written is no file, and both are told", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const script = `bash -c 'echo "gitdir: docs" > .git' 2>&1 | grep -o "Bad file descriptor"; : > .git; touch .git || echo refused; ls -A`;
    const { output, refused } = await shell(sandbox, world, script);
    assert.deepEqual(output.split("\n").slice(0, 2), ["Bad file descriptor", "touch: cannot touch '.git': Permission denied"]);
    assert.match(output, /refused\n\.env\na\.txt\ndocs\n$/u);
    const told = refused.first.map(({ errno, rule }) => `${errno} ${rule}`).toSorted();
    assert.deepEqual(told, ["EACCES gitStructure", "EBADF gitPointerUnwritten", "EBADF gitPointerUnwritten"]);
  });

  test("more pointer files than may be open at once are refused, and none is left open when its program has gone", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const many = `python3 -c "
import errno, os
def attempt(name):
  os.makedirs(name + '/docs')
  try: return os.open(name + '/.git', os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
  except OSError as e: print(errno.errorcode[e.errno])
for fd in [attempt(f'd{i}') for i in range(9)][:8]: os.write(fd, b'gitdir: docs\\n')"`;
    const oneAfterAnother = `python3 -c "
for i in range(20): open('.git', 'w').write('gitdir: docs')
print(open('d7/.git').read() + open('.git').read())"`;
    const { output } = await shell(sandbox, world, `${many}; ${oneAfterAnother}`);
    assert.equal(output, "ENFILE\ngitdir: docs\ngitdir: docs\n");
  });

  test("refusedCalls names what was refused, a hundred times, and counts the rest", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const { output, refused } = await shell(
      sandbox,
      world,
      "for i in $(seq 150); do mkdir .VSCode 2>/dev/null; done; mkdir ok && echo made",
    );
    assert.equal(output, "made\n");
    assert.equal(refused.total, 150);
    assert.equal(refused.first.length, 100);
    assert.deepEqual(refused.first[0], { call: "mkdir", errno: "EACCES", rule: "listedName", path: path.join(world.project, ".VSCode") });
  });

  test("what a project may not hold is refused at every write root, and a root may be named inside another", async () => {
    const world = await makeWorld();
    await mkdir(path.join(world.project, ".vscode"));
    const inner = path.join(world.project, ".vscode");
    const sandbox = await open(world.spec({ allowWrite: [world.project, inner] }));
    const { output } = await shell(sandbox, world, "echo x > .vscode/settings.json && echo opened; echo x > .vscode/.envrc; mkdir .idea");
    assert.match(output, /^opened\n/u);
    assert.match(output, /\.envrc: Permission denied/u);
    assert.match(output, /\.idea.*Permission denied/u);
    assert.equal((await stat(path.join(inner, "settings.json"))).size, 2);
  });

  test("calls that wait are bounded: one too many gets an errno and a record, and everything else goes on", async () => {
    const program = await build("crowded-calls");
    const world = await makeWorld();
    const sandbox = await open(world.spec({ allowRead: [program] }));
    const execution = await sandbox.exec({ argv: [program], cwd: world.project });
    let output = "";
    for await (const { bytes } of execution.output) {
      output += Buffer.from(bytes).toString("latin1");
      if (output.includes("\n")) break;
    }
    assert.equal(output, "connects 6 pipes 4 others 0 open ok\n");
    assert.equal((await shell(sandbox, world, "echo other > beside && cat beside")).output, "other\n");
    await execution.killTree();
    await execution.exit;
    assert.equal(execution.refusedCalls.total, 10);
    const kinds = execution.refusedCalls.first.map(({ call, errno, rule }) => `${call} ${errno} ${rule}`);
    assert.deepEqual(new Set(kinds), new Set(["connect EAGAIN crowded", "open ENFILE crowded"]));
  });

  test("in strict mode what a deny glob matches is never opened, made, renamed or laid open by its directory's name", async () => {
    const world = await makeWorld();
    const segments: readonly GlobSegment[] = [
      ...literalSegments(world.project),
      { kind: "any", text: "" },
      { kind: "literal", text: "keys" },
      { kind: "glob", text: "*.pem" },
    ];
    const sandbox = await open(world.spec({ strict: true, denyReadGlobs: [{ text: "keys", segments }] }));
    await mkdir(path.join(world.project, "deep/keys"), { recursive: true });
    await writeFile(path.join(world.project, "deep/keys/late.pem"), "secret\n");
    await writeFile(path.join(world.project, "deep/keys/plain"), "shown\n");
    const script =
      "cd deep; cat keys/late.pem; mv keys other; cat other/late.pem; ln keys/late.pem x; echo own > keys/own.pem; cat keys/plain; ls keys";
    const { output, refused } = await shell(sandbox, world, script);
    assert.ok(!output.includes("secret"), output);
    assert.match(output, /shown\nlate\.pem\nplain\n$/u);
    assert.deepEqual(
      refused.first.map(({ call, rule }) => `${call} ${rule}`),
      ["open deniedRead", "rename deniedRead", "link deniedRead", "open deniedRead"],
    );
  });

  test("in strict mode modes, owners, times and attributes change in write roots and the sandbox's own places alone", async () => {
    const world = await makeWorld();
    const kept = path.join(world.project, "docs/deep/kept.md");
    const shown = path.join(base, "shown.txt");
    await writeFile(shown, "shown");
    const before = await stat(shown);
    const sandbox = await open(world.spec({ strict: true, allowRead: [shown], denyWrite: [kept] }));
    const script = `chmod 600 ${shown}; touch -d 2001-01-01 ${shown}; chmod 600 docs/deep/kept.md; chown $(id -u) /usr/bin/env
cd "$TMPDIR"; for at in . /dev/shm; do echo x > $at/f; chmod 640 $at/f; touch -d 2001-01-01T00:00:00Z $at/f; stat -c "%a %Y" $at/f; done
cd -; chmod 700 a.txt docs; stat -c %a a.txt docs; exec 3< a.txt; chmod 711 /proc/self/fd/3; stat -c %a a.txt`;
    const { output, refused } = await shell(sandbox, world, script);
    const results = output.split("\n").filter((line) => /^\d/u.test(line));
    assert.deepEqual(results, ["640 978307200", "640 978307200", "700", "700", "711"], output);
    assert.equal(output.match(/Read-only file system/gu)?.length, 4, output);
    assert.deepEqual((await stat(shown)).ctimeMs, before.ctimeMs);
    const kinds = refused.first.map(({ call, errno, rule, path: where }) => `${call} ${errno} ${rule} ${where}`);
    const outside = ["attributes EROFS outside", "attributes EROFS outside", "attributes EROFS listedPath", "attributes EROFS outside"];
    assert.deepEqual(
      kinds,
      outside.map((what, index) => `${what} ${[shown, shown, kept, "/usr/bin/env"][index]}`),
    );
  });

  test("the end of a mediator is the end of its sandbox", async () => {
    const world = await makeWorld();
    const sandbox = await open(world.spec());
    const execution = await sandbox.exec({ argv: ["sh", "-c", "echo up; sleep 60 & echo child; wait"], cwd: world.project });
    for await (const { bytes } of execution.output) if (Buffer.from(bytes).includes("up")) break;
    // Another keeper may wait for the next command.
    const command = await eventually("the command", () => descendants(process.pid).find(({ name }) => name === "sh"));
    process.kill(command.parent, "SIGKILL");
    assert.deepEqual((await execution.exit).kind, "lost");
    await assert.rejects(sandbox.exec({ argv: ["true"], cwd: world.project }), { code: "SANDBOX_CLOSED" });
    await sandbox.close();
  });
});
