// Containers that start from a template: one is built for all tests of this file, from the machine's own repositories, as whoever runs them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import type { TemplateEntry } from "../../src/contracts/template-door.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { openLedgerReader } from "../../src/ledger/ledger.ts";
import { buildTemplate } from "../../src/templates/templates.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { linuxRuntimes } from "../fixtures/container-options.ts";

const isRoot = process.getuid?.() === 0;
/** A shell with a few tools, unpacked and not set up: what takes seconds. `base` itself: test/long/template-base.test.ts. */
const packages = ["dash", "coreutils", "libc6", "libselinux1", "libpcre2-8-0", "libacl1", "libattr1", "libgmp10"];

let base = "";
let entry: TemplateEntry;
const within = (...parts: readonly string[]): string => path.join(base, ...parts);
const templates = (...parts: readonly string[]): string => within("state/glovebox/templates", ...parts);
const environmentOf = (state: string) => ({ XDG_STATE_HOME: state, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" });

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-templates-")));
  await mkdir(within("project"));
  const store = { directory: templates(), idsInUse: async () => new Set<string>() };
  const definition = { variant: "extract", packages } as const;
  entry = await buildTemplate(store, { name: "tiny", definition, nowMs: Date.now(), onStep: () => {} });
});
after(() => removeScratch(base));

function glovebox(...words: readonly string[]): Promise<Captured> {
  const options = { environment: environmentOf(within("state")), cwd: within("project"), timeoutMs: 120_000 };
  return capture(process.execPath, [commandLine, ...words], options);
}

const inTiny = (runtime: string, script: string): Promise<Captured> =>
  glovebox("run", "--boundary", "container", "--runtime", runtime, "--template", "tiny", "--", "sh", "-c", script);

for (const runtime of linuxRuntimes) {
  test(`run --template with ${runtime}: the programs are the template's, read-only, with accounts of the container's own`, async () => {
    // Each that is left out of the template is on every machine that runs this.
    const script =
      'for name in bash perl node make; do test -e /usr/bin/$name && echo "host: $name"; done; ' +
      "for place in /usr/bin/x /usr/x /var/lib/x /etc/x; do (: > $place) 2>/dev/null && echo wrote $place; done; " +
      "test -e /etc/shadow && echo shadow; test -e /etc/machine-id && echo machine-id; " +
      "cat /etc/passwd | head -c 5 && echo made > note && cat note && sha256sum /usr/bin/sha256sum";
    const { code, stdout, stderr } = await inTiny(runtime, script);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^(?:root:|sandb)made\n[0-9a-f]{64} {2}\/usr\/bin\/sha256sum\n$/u);
    const tree = templates("trees", entry.id.replace("sha256:", ""));
    assert.ok(
      (await readFile(path.join(tree, "manifest.jsonl"), "utf8")).includes(stdout.slice(10, 74)),
      "the file is that of the manifest",
    );
  });
}

test("the record of an opened container names its template, and one of another does not", async () => {
  await inTiny("runc", ":");
  const opened = () =>
    openLedgerReader({ directory: within("state/glovebox") })
      .list({ limit: 20 })
      .filter(({ type }) => type === "execution.opened");
  assert.equal(opened()[0]?.body["template"], entry.id);
  await glovebox("run", "--boundary", "container", "--", "true");
  assert.equal("template" in (opened()[0]?.body ?? {}), false);
});

test("template ls, show and verify tell of it; --template without a container is inert", async () => {
  const shown = await glovebox("template", "ls", "--json");
  assert.deepEqual(JSON.parse(shown.stdout), { templates: [entry] });
  assert.match((await glovebox("template", "show", "tiny")).stdout, new RegExp(`^tiny: ${entry.files} files.*${entry.id}`, "u"));
  const good = await glovebox("template", "verify", "tiny");
  assert.deepEqual([good.code, good.stdout], [0, `good: tiny (${entry.id})\n`]);
  const inert = await glovebox("run", "--template", "tiny", "--", "true");
  assert.deepEqual([inert.code, inert.stderr.includes("POLICY_KEY_INERT")], [2, true], inert.stderr);
});

test("an unknown template starts nothing, and one that nothing defines is not built", async () => {
  const run = await glovebox("run", "--boundary", "container", "--template", "other", "--", "true");
  assert.deepEqual([run.code, run.stderr.includes("TEMPLATE_UNKNOWN")], [2, true], run.stderr);
  const build = await glovebox("template", "build", "other");
  assert.deepEqual([build.code, build.stderr.includes("TEMPLATE_UNKNOWN")], [2, true], build.stderr);
});

test("an altered template starts nothing, and verify names the file", async () => {
  const file = templates("trees", entry.id.replace("sha256:", ""), "root/usr/bin/true");
  const [before_, { mtime }] = [await readFile(file), await stat(file)];
  await appendFile(file, "x");
  try {
    const run = await inTiny("crun", "echo ran");
    assert.deepEqual([run.code, run.stdout, run.stderr.includes("TEMPLATE_ALTERED")], [122, "", true], run.stderr);
    const verify = await glovebox("template", "verify", "tiny");
    assert.deepEqual([verify.code, verify.stdout], [1, "altered: usr/bin/true\n"]);
  } finally {
    await writeFile(file, before_);
    await utimes(file, mtime, mtime);
  }
  assert.equal((await inTiny("crun", "true")).code, 0);
});

test("template rm refuses what a running task starts from", async () => {
  const words = ["run", "--boundary", "container", "--template", "tiny", "--", "sh", "-c", "echo ready; read -r line"];
  const child = spawn(process.execPath, [commandLine, ...words], { env: environmentOf(within("state")), cwd: within("project") });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  child.stdout.on("data", () => resolve());
  await Promise.race([ready, ended]);
  try {
    const removal = await glovebox("template", "rm", "tiny");
    assert.deepEqual([removal.code, removal.stderr.includes("STATE_BUSY")], [125, true], removal.stderr);
  } finally {
    child.stdin.end("\n");
  }
  assert.equal(await ended, 0);
});

/** Whatever has the directory in its command line or its environment. */
async function processesOf(directory: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name) && name !== String(process.pid));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const texts = await Promise.all(["cmdline", "environ"].map((name) => readFile(`/proc/${pid}/${name}`, "latin1").catch(() => "")));
      return texts.some((text) => text.includes(directory)) ? [pid] : [];
    }),
  );
  return found.flat();
}

async function waitFor(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline, `${what} did not happen within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a killed build leaves no process, no half template, and its files go with the next start", async () => {
  const state = within("killed");
  await mkdir(state);
  const building = path.join(state, "glovebox/templates/building");
  const child = spawn(process.execPath, [commandLine, "template", "build", "base"], { env: environmentOf(state), stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const chroots = async (): Promise<number> => {
    const builds = await readdir(building).catch(() => []);
    const inside = await Promise.all(builds.map((one) => readdir(path.join(building, one, "tmp")).catch(() => [])));
    return inside.flat().filter((name) => name.startsWith("mmdebstrap.")).length;
  };
  await waitFor("the build's first directory", async () => (await chroots()) > 0);
  child.kill("SIGKILL");
  await ended;
  await waitFor("the end of its processes", async () => (await processesOf(building)).length === 0);
  assert.equal((await readdir(building)).length, 1);
  const ls = await capture(process.execPath, [commandLine, "template", "ls"], { environment: environmentOf(state), timeoutMs: 60_000 });
  assert.deepEqual([ls.code, ls.stdout], [0, ""], ls.stderr);
  assert.deepEqual(await readdir(building), []);
  const types = openLedgerReader({ directory: path.join(state, "glovebox") }).list({ limit: 5 });
  assert.deepEqual(
    types.filter(({ type }) => type === "template.built").map(({ body }) => body["outcome"]),
    ["begun"],
  );
  await rm(state, { recursive: true });
});

// An ordinary user's build needs his own ids, which he has not in a namespace in which he may mount: the full disk is root's to make.
if (isRoot)
  test("a full disk ends a build with its own code, and leaves nothing", async () => {
    const state = within("full");
    await mkdir(state);
    const script = `mount -t tmpfs -o size=24m tmpfs "$1" && shift && "$@"; code=$?; ls "$XDG_STATE_HOME/glovebox/templates/building" >&2; exit $code`;
    const words = ["--mount", "--", "sh", "-c", script, "sh", state, process.execPath, commandLine, "template", "build", "base"];
    const { code, stderr } = await capture("/usr/bin/unshare", words, { environment: environmentOf(state), timeoutMs: 120_000 });
    assert.equal(code, 125, stderr);
    assert.match(stderr, /TEMPLATE_NO_ROOM\n {2}next: [^\n]+\n$/u);
  });
