// Presets on this machine, with the real package managers: what they follow from, what stays outside, what refuses them. No network is used.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, realpath, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { before, after, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { PresetName } from "../../src/contracts/policy-document.ts";
import type { EffectivePolicy } from "../../src/contracts/door.ts";
import { configureUser } from "../fixtures/packages/package-indexes.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const installation = path.join(import.meta.dirname, "..", "..");
let base: string;
let project: string;
let environment: Readonly<Record<string, string>>;

before(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-presets-")));
  project = path.join(base, "project");
  await mkdir(project);
  const authority = path.join(base, "authority.pem");
  await writeFile(authority, "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n");
  environment = await configureUser(path.join(base, "configuration"), authority);
});
after(() => removeScratch(base));

interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly projectDirectory?: string;
}

async function policyOf(preset: PresetName, given: Given = {}): Promise<EffectivePolicy> {
  const all = { ...environment, ...given.environment, XDG_STATE_HOME: path.join(base, "state") };
  const door = composeDoor({ environment: all, installation });
  return door.policy({ projectDirectory: given.projectDirectory ?? project, overrides: { presets: [preset] } });
}

const placesOf = ({ egress }: EffectivePolicy): readonly string[] =>
  egress.rules.flatMap(({ hosts, ports = [], protocols = [] }) => hosts.map(({ name }) => `${protocols.join()}://${name}:${ports.join()}`));

const expected: readonly (readonly [PresetName, readonly string[], string])[] = [
  ["node", ["https://npm.b.pkg.example.org:9443"], "npmrc"],
  ["python", ["https://pip.b.pkg.example.org:9443"], "pip.conf"],
  ["rust", ["https://git.pkg.example.org:443"], "cargo/config.toml"],
  ["go", ["https://go.b.pkg.example.org:9443"], "go.env"],
  ["java", ["http://mvn.b.pkg.example.org:9080"], "maven/bin/mvn"],
  ["debian", ["http://deb.b.pkg.example.org:9080"], "apt/sources.list"],
];

for (const [preset, places, file] of expected) {
  test(`preset ${preset}: the user's registry and no other, no secret, and nothing that decides it can be written inside`, async () => {
    const policy = await policyOf(preset);
    assert.deepEqual(placesOf(policy), places);
    const { decide, valueOrigins, ...rest } = policy;
    assert.equal(typeof decide, "function");
    assert.ok([...valueOrigins.values()].includes(`preset ${preset}`));
    assert.ok(!JSON.stringify(rest).includes("S3CRET"));
    const [resolved] = policy.presets;
    assert.ok(resolved?.decidedBy.includes(path.join(base, "configuration", file)));
    if (preset !== "debian") assert.ok(JSON.stringify(resolved?.notes).includes("preset.note."));
    const roots = { overrides: { presets: [preset], filesystem: { allowWrite: [path.dirname(path.join(base, "configuration", file))] } } };
    const door = composeDoor({ environment: { ...environment, XDG_STATE_HOME: path.join(base, "state") }, installation });
    await assert.rejects(door.policy({ projectDirectory: project, ...roots }), {
      code: "POLICY_VALUE_INVALID",
      message: /preset.decided-in-root/u,
    });
  });
}

test("presets: a project's programs are never started, and its files open nothing but are named with the rule that would", async () => {
  const hostile = path.join(base, "hostile");
  const programs = path.join(hostile, "node_modules/.bin");
  await mkdir(path.join(hostile, ".cargo"), { recursive: true });
  await mkdir(programs, { recursive: true });
  const marker = path.join(base, "started");
  for (const name of ["npm", "node", "pip3", "pip", "python3", "cargo", "go", "mvn", "apt-get", "apt-config"]) {
    await writeFile(path.join(programs, name), `#!/bin/sh\ntouch ${marker}-${name}\necho '{}'\n`);
    await chmod(path.join(programs, name), 0o755);
  }
  const planted = "https://planted.example.net/";
  const repository = `<repositories><repository><id>p</id><url>${planted}</url></repository></repositories>`;
  const files = {
    ".npmrc": `registry=${planted}\n`,
    "requirements.txt": `--extra-index-url ${planted}\n`,
    ".cargo/config.toml": `[source.crates-io]\nreplace-with = "p"\n[source.p]\nregistry = "sparse+${planted}"\n[alias]\ngenerate-lockfile = ["run"]\n`,
    "go.mod": "module x\n\ngo 1.18\n\ntoolchain go9.99\n",
    "pom.xml": `<project>${repository}</project>`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(hostile, name), text);
  const given = { projectDirectory: hostile, environment: { PATH: `${programs}:node_modules/.bin:.:${environment["PATH"] ?? ""}` } };
  for (const [preset, places] of expected) {
    const policy = await policyOf(preset, given);
    assert.deepEqual(placesOf(policy), places, preset);
    if (preset === "go" || preset === "debian") continue;
    const note = policy.presets[0]?.notes.find(({ key }) => key === "preset.note.project-registry");
    assert.equal(note?.values?.["host"], "planted.example.net", preset);
    assert.match(String(note?.values?.["rule"]), /hosts: \["planted.example.net"\], ports: \[443\]/u);
  }
  // The control: the same programs do leave their marks when somebody starts them.
  execFileSync(path.join(programs, "npm"));
  assert.deepEqual(
    (await readdir(base)).filter((name) => name.startsWith("started")),
    ["started-npm"],
  );
});

test("presets: a configuration of the user that leads into the project is refused, as a link and as a variable", async () => {
  const inside = path.join(project, "npmrc");
  await writeFile(inside, "registry=https://planted.example.net/\n");
  const link = path.join(base, "linked-npmrc");
  await symlink(inside, link);
  await mkdir(path.join(base, "linked-cargo"));
  await symlink(inside, path.join(base, "linked-cargo/config.toml"));
  await assert.rejects(policyOf("rust", { environment: { CARGO_HOME: path.join(base, "linked-cargo") } }), {
    message: /preset.file-in-project/u,
  });
  // A variable that names such a place is not looked at: npm then has its default.
  for (const file of [inside, link]) {
    const policy = await policyOf("node", { environment: { npm_config_userconfig: file } });
    assert.ok(!placesOf(policy).join(" ").includes("planted"));
    assert.ok(policy.presets[0]?.notes.some(({ key }) => key === "preset.note.variable-project"));
  }
});

test("presets: hostile and broken configuration files refuse, and none holds us up", async () => {
  const at = (name: string): string => path.join(base, name);
  execFileSync("/usr/bin/mkfifo", [at("fifo")]);
  await mkdir(at("cargo-broken"));
  await writeFile(at("cargo-broken/config.toml"), 'token = "S3CRET\n');
  await mkdir(at("cargo-large"));
  await writeFile(at("cargo-large/config.toml"), "#".repeat(300_000));
  await mkdir(at("cargo-fifo"));
  execFileSync("/usr/bin/mkfifo", [at("cargo-fifo/config.toml")]);
  await writeFile(at("npmrc-odd"), "registry=${NOWHERE}\n");
  await writeFile(at("pip-odd"), "[global]\nindex-url = wheels\n");
  await writeFile(at("pip-broken"), "index-url = x\n[global\n");
  const rows: readonly (readonly [PresetName, Readonly<Record<string, string>>, RegExp])[] = [
    ["rust", { CARGO_HOME: at("cargo-broken") }, /preset.file-syntax/u],
    ["rust", { CARGO_HOME: at("cargo-large") }, /preset.file-too-large/u],
    ["rust", { CARGO_HOME: at("cargo-fifo") }, /preset.file-not-regular/u],
    ["node", { npm_config_userconfig: at("npmrc-odd") }, /preset.url-invalid/u],
    ["python", { PIP_CONFIG_FILE: at("pip-odd") }, /preset.url-invalid/u],
    ["python", { PIP_CONFIG_FILE: at("pip-broken") }, /preset.tool-failed/u],
    ["go", { GOPROXY: "ftp://go.example.net" }, /preset.url-invalid/u],
    ["node", { PATH: at("nowhere") }, /preset.no-tool/u],
  ];
  for (const [preset, variables, situation] of rows)
    await assert.rejects(policyOf(preset, { environment: variables }), { message: situation }, `${preset} ${JSON.stringify(variables)}`);
});

test("presets: without any configuration each tool says its own default, and inside a script of npm its variables do not count", async () => {
  const bare = {
    npm_config_userconfig: path.join(base, "none"),
    GOENV: "off",
    CARGO_HOME: path.join(base, "none"),
    PIP_CONFIG_FILE: "/dev/null",
  };
  const before = placesOf(await policyOf("node", { environment: bare }));
  assert.equal(before.length, 1);
  const script = { ...bare, npm_config_registry: "https://planted.example.net/", npm_lifecycle_event: "test" };
  assert.deepEqual(placesOf(await policyOf("node", { environment: script })), before);
  assert.deepEqual(placesOf(await policyOf("node", { environment: { ...bare, npm_config_registry: "https://own.example.net/" } })), [
    "https://own.example.net:443",
  ]);
  assert.ok(placesOf(await policyOf("python", { environment: bare })).length >= 2);
  assert.ok(placesOf(await policyOf("go", { environment: bare })).length >= 1);
});
