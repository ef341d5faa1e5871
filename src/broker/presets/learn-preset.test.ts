// What each preset asks of a machine, on a machine that has nothing but what a test gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigFile, PresetFault } from "../../contracts/preset.ts";
import type { Captured } from "../../kit/spawn.ts";
import { learnPreset } from "./learn-preset.ts";
import type { PresetMachine, Question } from "./preset-machine.ts";

const privateHome = "/private";
const inside = { privateHome, keepsCaches: true };

interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly programs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly answer?: (question: Question) => string;
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  readonly documents?: Readonly<Record<string, string>>;
}

const answered = (stdout: string): Captured => ({ code: 0, stdout, stderr: stdout });

/** A machine with nothing but what a test gives. `/work` is the project. */
function fakeMachine({ environment = {}, programs = [], files = {}, answer = () => "", addresses = {}, documents = {} }: Given) {
  const asked: Question[] = [];
  const consulted = new Set<string>();
  const machine: PresetMachine = {
    home: "/home/ann",
    projectDirectory: "/project",
    environment,
    consulted,
    find: async (...names) => programs.find((program) => names.some((name) => program.endsWith(`/${name}`))),
    ask: async (question) => {
      asked.push(question);
      return answered(answer(question));
    },
    read: async (path, level): Promise<ConfigFile | undefined> => {
      if (level !== "project") consulted.add(path);
      const text = files[path];
      return text === undefined ? undefined : { path, level, text };
    },
    readBytes: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
    list: async (directory) =>
      Object.keys(files).flatMap((path) =>
        path.startsWith(`${directory}/`) ? [path.slice(directory.length + 1).split("/")[0] ?? ""] : [],
      ),
    real: (path) => path,
    isInProject: (path) => path.startsWith("/project/"),
    isShown: (path) => path.startsWith("/usr/"),
    addressesOf: async (host) => addresses[host] ?? [],
    fetchText: async (address) => documents[address],
    withFiles: async (_, use) => use("/tmp/x"),
  };
  return { machine, asked };
}

async function resolved(name: Parameters<typeof learnPreset>[0], given: Given) {
  const { machine, asked } = fakeMachine(given);
  const result = await learnPreset(name, machine, inside);
  assert.ok(!("code" in result), JSON.stringify(result));
  return { ...result, asked, places: result.sources.map(({ value, source }) => `${value} <- ${source}`) };
}

async function refused(name: Parameters<typeof learnPreset>[0], given: Given): Promise<string> {
  const result = await learnPreset(name, fakeMachine(given).machine, inside);
  return "code" in result ? `${result.code} ${result.situation}` : "resolved";
}

const npmAnswer = JSON.stringify({ registry: "https://npm.example/", userconfig: "/home/ann/.npmrc", globalconfig: "/etc/npmrc" });

test("learnPreset() refuses a preset whose tool is not there", async () => {
  for (const name of ["node", "python", "rust", "go", "java", "debian"] as const)
    assert.equal(await refused(name, {}), "POLICY_KEY_INERT preset.no-tool", name);
});

test("learnPreset() asks npm with the caller's own variables of npm, without secrets and without those that lead into the project", async () => {
  const environment = {
    npm_config_registry: "https://npm.example/",
    "npm_config_//npm.example/:_authToken": "S3CRET",
    NPM_CONFIG_USERCONFIG: "/project/.npmrc",
    NPM_TOKEN: "S3CRET",
    NODE_OPTIONS: "--require /project/x.js",
  };
  const { asked, notes, places } = await resolved("node", { environment, programs: ["/usr/bin/npm"], answer: () => npmAnswer });
  assert.deepEqual(asked[0]?.environment, { npm_config_registry: "https://npm.example/", npm_config_update_notifier: "false" });
  assert.deepEqual(
    notes.map(({ key }) => key),
    ["preset.note.variable-project"],
  );
  assert.deepEqual(places, ["npm.example:443 <- npm_config_registry"]);
});

test("learnPreset() does not follow npm's variables inside a script of npm: they are some project's", async () => {
  const environment = { npm_config_registry: "https://planted.example/", npm_lifecycle_event: "test" };
  const { asked, notes } = await resolved("node", { environment, programs: ["/usr/bin/npm"], answer: () => npmAnswer });
  assert.deepEqual(asked[0]?.environment, { npm_config_update_notifier: "false" });
  assert.deepEqual(
    notes.map(({ key }) => key),
    ["preset.note.npm-script"],
  );
});

test("learnPreset() follows from every place it looked at, also where no file was", async () => {
  const { decidedBy } = await resolved("node", { programs: ["/usr/bin/npm"], answer: () => npmAnswer });
  assert.deepEqual(decidedBy, ["/etc/npmrc", "/home/ann/.npmrc", "/usr/bin/npm"]);
});

test("learnPreset() reads pip's files in pip's order, and its own index from its source", async () => {
  const debug =
    "env_var:\nenv:\nglobal:\n  /etc/pip.conf, exists: True\n    global.x: /y, exists: True\nuser:\n  /home/ann/.pip/pip.conf, exists: False\n  /home/ann/.config/pip/pip.conf, exists: True\n";
  const answer = ({ args }: Question): string => (args[0] === "config" ? debug : "pip 23.0 from /usr/lib/python3/pip (python 3.11)\n");
  const files = {
    "/usr/lib/python3/pip/_internal/models/index.py": 'PyPI = PackageIndex("https://own.example/", file_storage_domain="files.example")\n',
    "/etc/pip.conf": "[global]\nextra-index-url = https://global.example/\n",
    "/home/ann/.config/pip/pip.conf": "[global]\nextra-index-url = https://user.example/\n",
    "/project/requirements.txt": "-i https://planted.example/\n",
  };
  const { places, decidedBy, notes } = await resolved("python", { programs: ["/usr/bin/pip3"], files, answer });
  assert.deepEqual(places, ["user.example:443 <- /home/ann/.config/pip/pip.conf", "own.example:443 <- pip", "files.example:443 <- pip"]);
  assert.ok(decidedBy.includes("/home/ann/.pip/pip.conf"));
  assert.deepEqual(
    notes.map(({ key }) => key),
    ["preset.note.project-registry"],
  );
});

test("learnPreset() lets cargo name its index with nothing configured, and prefers what cargo has kept of the index", async () => {
  const answer = () => "failed to download from `https://own.example/config.json`";
  const files = {
    "/home/ann/.cargo/registry/index/own.example-0123/config.json": '{"dl": "https://kept.example/"}',
    "/home/ann/.cargo/config.toml": '[registries.corp]\nindex = "sparse+https://corp.example/"\n',
  };
  const documents = { "https://corp.example/config.json": '{"dl": "https://asked.example/"}', "https://own.example/config.json": "{}" };
  const { asked, places } = await resolved("rust", { programs: ["/usr/bin/cargo"], files, answer, documents });
  assert.equal(asked[0]?.environment?.["CARGO_HOME"], "/tmp/x/home");
  assert.deepEqual(places, [
    "own.example:443 <- cargo",
    "corp.example:443 <- /home/ann/.cargo/config.toml",
    "kept.example:443 <- config.json of https://own.example/",
    "asked.example:443 <- config.json of https://corp.example/",
  ]);
});

test("learnPreset() lets the installed go answer, and nothing that a variable of the caller downloads", async () => {
  const answer = ({ args }: Question): string => (args[1] === "-json" ? '{"GOPROXY": "https://go.example"}' : "/usr/lib/go\n");
  const { asked, places } = await resolved("go", {
    programs: ["/usr/bin/go"],
    answer,
    environment: { GOFLAGS: "-toolexec=/project/x", GOPROXY: "https://go.example" },
  });
  assert.deepEqual(
    asked.map(({ environment }) => [environment?.["GOTOOLCHAIN"], environment?.["GOFLAGS"]]),
    [
      ["local", undefined],
      ["local", undefined],
      ["local", undefined],
    ],
  );
  assert.deepEqual(places, ["go.example:443 <- GOPROXY"]);
});

test("learnPreset() opens a registry inside a company, of the person's own configuration only", async () => {
  const given = { programs: ["/usr/bin/npm"], answer: () => npmAnswer, addresses: { "npm.example": ["10.0.0.7"] } };
  const { fragment } = await resolved("node", { ...given, files: { "/home/ann/.npmrc": "registry=https://npm.example/\n" } });
  assert.deepEqual(fragment["allowLocal"], ["npm.example:443"]);
  assert.equal((await resolved("node", given)).fragment["allowLocal"], undefined);
});

test("learnPreset() refuses what a tool does not say", async () => {
  assert.equal(await refused("node", { programs: ["/usr/bin/npm"] }), "POLICY_UNREADABLE preset.answer-unreadable");
  assert.equal(await refused("python", { programs: ["/usr/bin/pip3"] }), "POLICY_UNREADABLE preset.default-unknown");
  assert.equal(await refused("rust", { programs: ["/usr/bin/cargo"] }), "POLICY_UNREADABLE preset.default-unknown");
  assert.equal(await refused("go", { programs: ["/usr/bin/go"] }), "POLICY_UNREADABLE preset.answer-unreadable");
  assert.equal(await refused("java", { programs: ["/usr/bin/mvn"] }), "POLICY_UNREADABLE preset.default-unknown");
  assert.equal(await refused("debian", { programs: ["/usr/bin/apt-get", "/usr/bin/apt-config"] }), "POLICY_KEY_INERT preset.no-sources");
});

test("learnPreset() refuses a file of certificates that holds a private key", async () => {
  const answer = () => JSON.stringify({ ...JSON.parse(npmAnswer), cafile: "/home/ann/all.pem" });
  const files = { "/home/ann/.npmrc": "cafile=/home/ann/all.pem\n", "/home/ann/all.pem": "-----BEGIN PRIVATE KEY-----\n" };
  assert.equal(await refused("node", { programs: ["/usr/bin/npm"], files, answer }), "POLICY_VALUE_INVALID preset.private-key");
});

test("learnPreset() shows the prefix of a tool, and of a tool in a hidden directory of the home its own directory alone", async () => {
  const rows = [
    ["/home/ann/opt/node/bin/npm", "/home/ann/opt/node"],
    ["/home/ann/.tool/bin/npm", "/home/ann/.tool/bin"],
    ["/home/ann/bin/npm", "/home/ann/bin"],
    ["/srv/npm", "/srv"],
    ["/usr/bin/npm", undefined],
  ] as const;
  for (const [program, directory] of rows) {
    const { sources } = await resolved("node", { programs: [program], answer: () => npmAnswer });
    assert.equal(sources.find(({ what }) => what === "tool")?.value, directory, program);
  }
});

test("learnPreset() lets a fault that is not the configuration's through", async () => {
  const { machine } = fakeMachine({ programs: ["/usr/bin/npm"] });
  const broken: PresetMachine = { ...machine, ask: async () => Promise.reject(new TypeError("ours")) };
  await assert.rejects(learnPreset("node", broken, inside), (error) => error instanceof TypeError && !(error instanceof PresetFault));
});
