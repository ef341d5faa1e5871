// Two commands on a fresh machine: what `./glovebox` and `glovebox setup` do with a clone that is not set up, is, or is stale.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { runResultFileSchema } from "../../src/contracts/run-result-file.ts";
import { type MiniatureClone, openMiniatureClone } from "../fixtures/miniature-clone.ts";

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly before?: readonly string[];
}

const baseEnvironment = (clone: MiniatureClone): Record<string, string> => ({
  PATH: `${clone.bin}:/usr/bin:/bin`,
  HOME: clone.root,
  LANG: "C",
});

function glovebox(clone: MiniatureClone, args: readonly string[], options: Options = {}) {
  const [file = "", ...rest] = [...(options.before ?? []), path.join(clone.root, "glovebox"), ...args];
  const environment = { ...baseEnvironment(clone), ...options.environment };
  return spawnSync(file, rest, { encoding: "utf8", env: environment, input: options.input ?? "", timeout: 60_000 });
}

function rewriteLock(clone: MiniatureClone, change: (lock: string) => string): void {
  const file = path.join(clone.root, "package-lock.json");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

const stamp = (clone: MiniatureClone): string => path.join(clone.root, "build/setup.stamp");

test("./glovebox without --yes and without a terminal shows the plan, exits with 122 and does nothing", () => {
  using clone = openMiniatureClone();
  const ended = glovebox(clone, ["run", "--", "true"]);
  assert.equal(ended.status, 122);
  assert.equal(ended.stdout, "");
  assert.match(ended.stderr, /npm ci --ignore-scripts/u);
  assert.match(ended.stderr, /make -C native/u);
  assert.match(ended.stderr, /glovebox setup --yes/u);
  assert.equal(clone.npmRuns(), 0);
  assert.equal(existsSync(path.join(clone.root, "build")), false);
});

test("./glovebox writes the refusal of set-up into the result file of a run, and into no word of a command", () => {
  using clone = openMiniatureClone();
  const file = path.join(clone.root, "result.json");
  for (const words of [["--result-file", file], [`--result-file=${file}`]]) {
    writeFileSync(file, "what an earlier call left");
    assert.equal(glovebox(clone, ["run", ...words, "--", "true"]).status, 122);
    const document = runResultFileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    assert.ok("error" in document && document.error.code === "SETUP_NEEDED" && document.exitCode === 122);
    assert.match(document.error.hint, /glovebox setup --yes/u);
  }
  rmSync(file);
  for (const args of [
    ["run", "--", "make", "--result-file", file],
    ["run", "make", "--result-file", file],
    ["explain", "--result-file", file, "--"],
  ]) {
    assert.equal(glovebox(clone, args).status, 122);
    assert.equal(existsSync(file), false, args.join(" "));
  }
  symlinkSync("/dev/null", file);
  glovebox(clone, ["run", "--result-file", file, "--", "true"]);
  assert.equal(readlinkSync(file), "/dev/null", "a link is not replaced");
});

test("./glovebox --yes sets up, then runs the command with its arguments and its standard input untouched", () => {
  using clone = openMiniatureClone();
  const args = ["--yes", "run", "--", "read", "a b", "", "--yes"];
  const ended = glovebox(clone, args, { input: "for the command\n" });
  assert.equal(ended.status, 0, ended.stderr);
  assert.deepEqual(JSON.parse(ended.stdout), { argv: args, stdin: "for the command\n" });
});

test("./glovebox takes --yes only before the subcommand: an agent's arguments cannot agree", () => {
  using clone = openMiniatureClone();
  for (const args of [
    ["run", "--yes", "--", "true"],
    ["run", "--", "true", "--yes"],
    ["--", "--yes"],
  ]) {
    assert.equal(glovebox(clone, args).status, 122);
  }
  assert.equal(clone.npmRuns(), 0);
});

test("./glovebox does nothing again on a second start, also through a link and from another directory", () => {
  using clone = openMiniatureClone();
  assert.equal(glovebox(clone, ["setup", "--yes"]).status, 0);
  const link = path.join(clone.root, "bin/link");
  symlinkSync("../glovebox", link);
  const ended = spawnSync(link, ["explain"], { encoding: "utf8", env: baseEnvironment(clone), cwd: "/" });
  assert.deepEqual({ status: ended.status, stderr: ended.stderr, runs: clone.npmRuns() }, { status: 0, stderr: "", runs: 1 });
});

test("glovebox setup --help and --version say the same before and after, but for what is still missing", () => {
  using clone = openMiniatureClone();
  const [helpBefore, versionBefore] = [glovebox(clone, ["setup", "--help"]), glovebox(clone, ["--version"])];
  assert.match(helpBefore.stdout, /not set up yet/u);
  assert.match(versionBefore.stdout, /^glovebox \S+\n$/u);
  const agreed = glovebox(clone, ["setup", "--yes"]);
  assert.match(agreed.stderr, /It will now:/u);
  const helpAfter = glovebox(clone, ["setup", "--help"]);
  assert.equal(helpAfter.status, 0);
  assert.doesNotMatch(helpAfter.stdout, /not set up/u);
});

test("glovebox setup a second time reports that there is nothing to do", () => {
  using clone = openMiniatureClone();
  assert.equal(glovebox(clone, ["--yes", "setup"]).status, 0);
  const again = glovebox(clone, ["setup"]);
  assert.equal(again.status, 0);
  assert.match(again.stderr, /nothing to do/u);
  assert.equal(clone.npmRuns(), 1);
});

test("./glovebox sees by content that the lock file, a native source or a program changed", () => {
  using clone = openMiniatureClone();
  assert.equal(glovebox(clone, ["setup", "--yes"]).status, 0);
  const changes: (() => void)[] = [
    () =>
      rewriteLock(clone, (lock) =>
        lock.replace('"node_modules/other":{', '"node_modules/stub":{"version":"2.0.0"},"node_modules/other":{'),
      ),
    () => appendFileSync(path.join(clone.root, "native/guard.c"), "// changed\n"),
    () => rmSync(path.join(clone.root, "build/guard")),
    () => rmSync(path.join(clone.root, "node_modules"), { recursive: true }),
  ];
  for (const change of changes) {
    assert.equal(glovebox(clone, ["explain"]).status, 0);
    change();
    assert.equal(glovebox(clone, ["explain"]).status, 122, String(change));
    assert.equal(glovebox(clone, ["--yes", "explain"]).status, 0, String(change));
  }
});

test("./glovebox needs no consent to note that a changed lock file asks for nothing new", () => {
  using clone = openMiniatureClone();
  assert.equal(glovebox(clone, ["setup", "--yes"]).status, 0);
  rewriteLock(clone, (lock) => `${lock}\n`);
  const ended = glovebox(clone, ["explain"]);
  assert.deepEqual({ status: ended.status, stderr: ended.stderr, runs: clone.npmRuns() }, { status: 0, stderr: "", runs: 1 });
});

test("two set-ups at once install once, and both succeed", async () => {
  using clone = openMiniatureClone();
  clone.beforeNpm(`echo started > ${clone.root}/started; read line < ${clone.root}/gate`);
  spawnSync("mkfifo", [path.join(clone.root, "gate")]);
  const start = () =>
    spawn(path.join(clone.root, "glovebox"), ["setup", "--yes"], { env: baseEnvironment(clone), stdio: ["ignore", "ignore", "pipe"] });
  const first = start();
  await once(first.stderr, "data");
  const second = start();
  const firstEnd = once(first, "close");
  const secondEnd = once(second, "close");
  const waiting = Promise.withResolvers<void>();
  second.stderr.on("data", (chunk) => String(chunk).includes("waiting") && waiting.resolve());
  await Promise.race([waiting.promise, secondEnd.then(() => Promise.reject(new Error("the second set-up did not wait")))]);
  writeFileSync(path.join(clone.root, "gate"), "go\n");
  assert.deepEqual([(await firstEnd)[0], (await secondEnd)[0]], [0, 0]);
  assert.equal(clone.npmRuns(), 1);
});

test("a set-up that is killed leaves no lock behind and no stamp", async () => {
  using clone = openMiniatureClone();
  clone.beforeNpm(`echo $PPID > ${clone.root}/parent; kill -KILL $PPID; exit 1`);
  const killed = spawn(path.join(clone.root, "glovebox"), ["setup", "--yes"], { env: baseEnvironment(clone), stdio: "ignore" });
  await once(killed, "close");
  assert.equal(existsSync(stamp(clone)), false);
  clone.beforeNpm("");
  assert.equal(glovebox(clone, ["setup", "--yes"]).status, 0);
});

test("a failed step shows the last lines of its log and the next step, exits with 122, and can be repeated", () => {
  using clone = openMiniatureClone();
  clone.beforeNpm("echo the registry is away >&2; exit 1");
  const ended = glovebox(clone, ["--yes", "run", "--", "true"]);
  assert.equal(ended.status, 122);
  assert.match(ended.stderr, /the registry is away[^]*npm ci failed[^]*npm ping/u);
  assert.equal(existsSync(stamp(clone)), false);
  clone.beforeNpm("");
  writeFileSync(path.join(clone.root, "native/guard.c"), "this is not C\n");
  const unbuilt = glovebox(clone, ["--yes", "run", "--", "true"]);
  assert.equal(unbuilt.status, 122);
  assert.match(unbuilt.stderr, /make failed[^]*make -C native/u);
});

test("without a Node on PATH, ./glovebox names the command that brings one", () => {
  using clone = openMiniatureClone();
  const tools = path.join(clone.root, "tools");
  mkdirSync(tools);
  for (const name of ["sed", "cat", "cmp"]) symlinkSync(`/usr/bin/${name}`, path.join(tools, name));
  const english = glovebox(clone, ["--yes", "explain"], { environment: { PATH: tools } });
  assert.equal(english.status, 122);
  assert.match(english.stderr, /apt-get install -y nodejs npm/u);
  const chinese = glovebox(clone, ["explain"], { environment: { PATH: tools, LANG: "zh_CN.UTF-8" } });
  assert.match(chinese.stderr, /请运行/u);
});

test("set-up speaks Chinese when asked", () => {
  using clone = openMiniatureClone();
  assert.match(glovebox(clone, ["--lang", "zh", "explain"]).stderr, /尚未准备好/u);
  assert.match(glovebox(clone, ["--lang=zh", "setup"]).stderr, /尚未准备好/u);
});

test("inside a sandbox set-up is refused, whatever the agent says", () => {
  using clone = openMiniatureClone();
  const guard = path.join(clone.root, "bin/npm");
  const before = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/run", "--ro-bind", guard, "/run/glovebox/guard"];
  for (const args of [
    ["setup", "--yes"],
    ["--yes", "run", "--", "true"],
  ]) {
    const ended = glovebox(clone, args, { before });
    assert.equal(ended.status, 122);
    assert.match(ended.stderr, /inside of a sandbox/u);
  }
  assert.equal(clone.npmRuns(), 0);
});

/** A machine that lacks bubblewrap and has an `apt-get` of ours, seen by uid `uid`. */
function machineWithoutBubblewrap(clone: MiniatureClone, uid: number): string[] {
  const apt = path.join(clone.root, "apt-get");
  writeFileSync(
    apt,
    `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> ${clone.root}/apt-runs\n[ -e ${clone.root}/lists ] || { [ "$3" = update ] && touch ${clone.root}/lists; }\n`,
    { mode: 0o755 },
  );
  const masks = ["/usr/bin/bwrap", "/usr/bin/sudo"]
    .filter((file) => existsSync(file))
    .flatMap((file) => ["--ro-bind", path.join(clone.root, "package.json"), file]);
  return ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--uid", String(uid), ...masks, "--ro-bind", apt, "/usr/bin/apt-get"];
}

test("set-up as root installs Debian packages in one transaction and fetches lists only when needed", () => {
  using clone = openMiniatureClone();
  const before = machineWithoutBubblewrap(clone, 0);
  assert.match(glovebox(clone, ["setup"], { before }).stderr, /Debian packages: bubblewrap/u);
  glovebox(clone, ["setup", "--yes"], { before });
  const install = "install -y --no-install-recommends bubblewrap";
  const options = "noninteractive -o DPkg::Lock::Timeout=300";
  const runs = readFileSync(path.join(clone.root, "apt-runs"), "utf8").trim().split("\n");
  assert.deepEqual(runs, [`${options} ${install}`, `${options} update`, `${options} ${install}`]);
});

test("set-up as an ordinary user without sudo prints the exact command and changes nothing", () => {
  using clone = openMiniatureClone();
  const ended = glovebox(clone, ["--yes", "run", "--", "true"], { before: machineWithoutBubblewrap(clone, 1234) });
  assert.equal(ended.status, 122);
  assert.match(ended.stderr, /apt-get update && apt-get install -y --no-install-recommends bubblewrap/u);
  assert.equal(clone.npmRuns(), 0);
});

test("set-up asks on a terminal and takes only a yes", () => {
  using clone = openMiniatureClone();
  const program = `${path.join(clone.root, "glovebox")} setup; echo "ended $?"`;
  const onTerminal = (answer: string): string =>
    spawnSync("script", ["-qec", program, "/dev/null"], { encoding: "utf8", env: baseEnvironment(clone), input: answer, timeout: 60_000 })
      .stdout;
  assert.match(onTerminal("no\n"), /\[y\/N\][^]*ended 122/u);
  assert.equal(clone.npmRuns(), 0);
  assert.match(onTerminal("y\n"), /\[y\/N\][^]*ended 0/u);
  assert.equal(clone.npmRuns(), 1);
});

test("./glovebox runs no helper from the caller's PATH and lets no variable put code before it", () => {
  using clone = openMiniatureClone();
  glovebox(clone, ["setup", "--yes"]);
  const planted = path.join(clone.root, "planted");
  const ran = path.join(clone.root, "ran");
  mkdirSync(planted);
  for (const name of ["cat", "cmp", "find", "readlink", "sed", "node", "npm", "make", "pwd"]) {
    writeFileSync(path.join(planted, name), `#!/bin/sh\necho ${name} >> ${ran}\nexec /usr/bin/${name} "$@"\n`, { mode: 0o755 });
  }
  writeFileSync(path.join(planted, "first.cjs"), `require("node:fs").appendFileSync(${JSON.stringify(ran)}, "first\\n");`);
  const environment = {
    ...baseEnvironment(clone),
    PATH: `${planted}:${clone.bin}:/usr/bin:/bin`,
    NODE_OPTIONS: `--require ${path.join(planted, "first.cjs")}`,
  };
  const run = (...args: string[]) =>
    spawnSync(path.join(clone.root, "glovebox"), args, { encoding: "utf8", env: environment, cwd: planted, timeout: 60_000 });
  const answer = run("run", "--", "true");
  assert.equal(answer.status, 0, answer.stderr);
  rmSync(path.join(clone.root, "build/setup.stamp"));
  assert.equal(run("setup", "--yes").status, 0);
  assert.equal(existsSync(ran), false, existsSync(ran) ? readFileSync(ran, "utf8") : "");
});
