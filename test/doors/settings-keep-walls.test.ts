// No setting turns a missing wall into a warning: what builds walls is taken away, and then every key of the policy and every flag of `run` is
// tried in its most permissive form. Each call must refuse, and the command must not have run. INVARIANT I-02
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { runCommand } from "../../src/cli/commands/run.ts";
import { policyDocumentSchema } from "../../src/contracts/policy-document.ts";
import { hostUser } from "../../src/kit/host-user.ts";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { lookThrough, manifestText } from "../../src/templates/manifest.ts";
import { keepTree, ownArchitecture, prepareStore } from "../../src/templates/template-store.ts";
import { makeGround } from "../escape/harness/ground.ts";
import { insideEnvironment } from "../escape/harness/inside.ts";
import { type ProgramCache, openProgramCache } from "../escape/harness/program.ts";
import { hostHas } from "../escape/harness/stages.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");
const isRoot = process.getuid?.() === 0;
let programs: ProgramCache;

before(async () => {
  programs = await openProgramCache();
});

after(async () => {
  await programs[Symbol.asyncDispose]();
});

/** The most that each key can be made to allow; the user's own file. A key that this version refuses refuses here too (code 2). */
const documents: Readonly<Record<string, readonly string[]>> = {
  apiVersion: [""],
  metadata: ["metadata: {name: loose}"],
  floor: ["floor: false"],
  extends: ["extends: []"],
  presets: ["presets: []"],
  boundary: ["boundary: auto", "boundary: process", "boundary: container"],
  container: [
    "boundary: container\ncontainer: {runtime: runc}",
    "boundary: container\ncontainer: {runtime: crun}",
    "boundary: container\ncontainer: {expires: 365d}",
    "container: {runtime: crun}",
    "boundary: container\ncontainer: {template: base}",
  ],
  approval: ["approval: auto-allow", "approval: never"],
  uid: ["uid: auto", "uid: root"],
  allowUnsandboxed: ["allowUnsandboxed: true"],
  nestedNamespaces: ["nestedNamespaces: true"],
  outside: ["outside: [{id: t, program: /usr/bin/touch, pin: root, arguments: [marker]}]"],
  acceptRisk: [
    "acceptRisk: [{what: bubblewrap, why: test, owner: me, until: '2999-01-01'}]",
    "acceptRisk: [{what: egress.observe, why: test, owner: me, until: '2999-01-01'}]",
  ],
  filesystem: ["filesystem: {allowRead: [/usr], allowWrite: [.]}", "filesystem: {strict: true}", "filesystem: {caches: [npm]}"],
  environment: ["environment: {pass: [LANG], set: {A: b}}"],
  limits: ["limits: {wall: 1d, output: 1GiB, pendingApprovals: 0}"],
  commands: ["commands: [{id: a, match: {argvPrefix: [touch]}, verdict: allow}]"],
  egress: [
    "egress: []",
    "acceptRisk: [{what: egress.observe, why: test, owner: me, until: '2999-01-01'}]\negress: [{id: w, hosts: ['**.com'], verdict: deny, mode: observe}]",
  ],
  allowLocal: ["allowLocal: []"],
  browser: ["browser: []"],
  credentials: ["credentials: []"],
  approvals: ["approvals: []"],
  audit: ["audit: {argv: digest}"],
  tests: ["tests: [{name: t, request: {argv: [touch]}, expect: allow}]"],
};

/** Every flag in its most permissive form, by the name of its option. */
const flags: Readonly<Record<string, readonly string[]>> = {
  policy: ["--policy", "POLICY"],
  boundary: ["--boundary", "container"],
  runtime: ["--boundary", "container", "--runtime", "crun"],
  template: ["--boundary", "container", "--template", "base"],
  project: ["--project", "."],
  cwd: ["--cwd", "."],
  input: ["--input", "."],
  "allow-write": ["--allow-write", "."],
  "deny-write": ["--deny-write", "/srv"],
  "allow-read": ["--allow-read", "/usr"],
  "deny-read": ["--deny-read", "/srv"],
  "allow-local": ["--allow-local", "127.0.0.1:5432"],
  preset: ["--preset", "node"],
  env: ["--env", "GLOVE=no"],
  pass: ["--pass", "LANG"],
  wall: ["--wall", "1d"],
  "output-limit": ["--output-limit", "1GiB"],
  "cpu-time": ["--cpu-time", "1d"],
  "cpu-cores": ["--cpu-cores", "2"],
  memory: ["--memory", "64GiB"],
  processes: ["--processes", "4096"],
  disk: ["--disk", "1TiB"],
  "open-files": ["--open-files", "4096"],
  "result-file": ["--result-file", "result.json"],
  pty: ["--pty"],
  "no-pty": ["--no-pty"],
  interactive: ["--interactive"],
  "ask-elsewhere": ["--ask-elsewhere"],
  unsandboxed: ["--unsandboxed"],
  outside: ["--outside", "t"],
  sheet: ["--sheet"],
  quiet: ["--quiet"],
};

interface Tried extends Captured {
  readonly ran: boolean;
}

/** What builds the walls of any boundary, wherever it is looked for. */
const wallPrograms = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].flatMap((directory) =>
  ["bwrap", "runc", "crun", "runsc"].map((name) => `${directory}/${name}`),
);

/** A template `base` that nothing is wrong with, so that only the wall is missing. */
async function keepTemplate(directory: string): Promise<void> {
  const store = { directory, idsInUse: async () => new Set<string>() };
  prepareStore(store);
  const made = path.join(directory, "building/made");
  await mkdir(path.join(made, "root/usr"), { recursive: true });
  const [architecture, entries] = [ownArchitecture, await lookThrough(path.join(made, "root"), true)];
  const about = { name: "base", architecture, built: "2026-01-01T00:00:00.000Z", files: 0, bytes: 0, packages: [], removed: [] };
  await keepTree(store, about, { made, manifest: manifestText({ architecture, entries }) });
}

/** `glovebox --yes run FLAGS -- touch marker` without those and without a terminal, under this user policy. */
async function withoutWallPrograms(document: string, words: readonly string[], resources: AsyncDisposableStack): Promise<Tried> {
  const ground = await makeGround(resources);
  const [state, project, home] = ["state", "plain-project", "user-home"].map((name) => path.join(ground.root, name));
  if (state === undefined || project === undefined || home === undefined) throw new Error("three names give three paths");
  await mkdir(state, { mode: 0o700 });
  await keepTemplate(path.join(state, "glovebox/templates"));
  await mkdir(project);
  await mkdir(path.join(home, ".config/glovebox"), { recursive: true });
  const policy = `apiVersion: glovebox/v1\n${document}\n`;
  await writeFile(path.join(home, ".config/glovebox/policy.yaml"), policy);
  await writeFile(path.join(ground.root, "named.yaml"), "apiVersion: glovebox/v1\n");
  const kept = [installation, ground.root].flatMap((place) => ["--bind", place, place]);
  const view = ["--dev-bind", "/", "/", "--bind", home, hostUser().home, ...kept, ...(isRoot ? ["--cap-add", "ALL"] : [])];
  const missing = [await programs.compiled("without-files"), ...wallPrograms, "--"];
  const given = words.map((word) => (word === "POLICY" ? path.join(ground.root, "named.yaml") : word));
  const cli = [process.execPath, commandLine, "--yes", "run", ...given, "--", "touch", "marker"];
  const environment = { ...insideEnvironment(ground.home), XDG_STATE_HOME: state, XDG_RUNTIME_DIR: state, LANG: "C.UTF-8", NO_COLOR: "1" };
  const line = ["--wait", "/usr/bin/bwrap", ...view, "--chdir", project, ...missing, ...cli];
  const captured = await capture("/usr/bin/setsid", line, { environment, timeoutMs: 120_000 });
  const marker = path.join(project, "marker");
  const ran = await hostHas(marker);
  if (ran) await rm(marker);
  return { ...captured, ran };
}

/** 2: the policy or the call itself was refused; 120, 121: the way out; 122: the wall. */
function assertRefused({ code, ran, stdout, stderr }: Tried, allowed: readonly number[], what: string): void {
  assert.ok(!ran, `${what}: the command ran without a wall`);
  assert.ok(allowed.includes(code), `${what}: code ${code} ${stdout}${stderr}`);
  if (code === 122) assert.match(stderr + stdout, /bubblewrap|runc|crun/u, what);
}

test("the tables of this file name every key of the policy and every flag of `run`", () => {
  assert.deepEqual(Object.keys(documents).toSorted(), Object.keys(policyDocumentSchema().shape).toSorted());
  assert.deepEqual(Object.keys(flags).toSorted(), runCommand.options.map(({ name }) => name).toSorted());
});

for (const [key, variants] of Object.entries(documents)) {
  test(`without what builds walls no value of "${key}" lets a command run`, async () => {
    for (const document of variants) {
      await using resources = new AsyncDisposableStack();
      const tried = await withoutWallPrograms(document, [], resources);
      assertRefused(tried, [2, 122], document);
      if (tried.code === 2) assert.match(tried.stderr, /POLICY_/u, document);
    }
  });
}

for (const [name, words] of Object.entries(flags)) {
  test(`without what builds walls --${name} lets no command run`, async () => {
    await using resources = new AsyncDisposableStack();
    const isWayOut = name === "unsandboxed" || name === "outside";
    const opening = "allowUnsandboxed: true\noutside: [{id: t, program: /usr/bin/touch, pin: root, arguments: [marker]}]";
    const tried = await withoutWallPrograms(opening, words, resources);
    assertRefused(tried, isWayOut ? [121] : [122], words.join(" "));
  });
}
