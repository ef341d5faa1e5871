// Tables of npm's configuration and what follows from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { readNodePreset } from "./node-preset.ts";
import { PresetFault } from "../../contracts/preset.ts";

const own = { registry: "https://own.example/", cafile: null, "strict-ssl": true, "replace-registry-host": "npmjs" };
const answers = (config: Readonly<Record<string, unknown>>) => ({ config: JSON.stringify({ ...own, ...config }) });

test("readNodePreset() takes npm's own default where nobody configured a registry, and writes no configuration", () => {
  const reading = readNodePreset(presetFacts({ answers: answers({}) }));
  assert.deepEqual(placesOf(reading), ["own.example:443 https npm"]);
  assert.deepEqual(reading.homeFiles, {});
});

test("readNodePreset() says which file or variable a registry comes from, and hands it to the client inside by the same strength", () => {
  const files = [
    configFile("global", "/etc/npmrc", "registry=https://old.example/\ncafile=/etc/corp.pem\n"),
    configFile("user", "/home/ann/.npmrc", "@corp:registry=http://corp.example:4873/\n"),
  ];
  const environment = { NPM_CONFIG_REGISTRY: "https://mirror.example/npm/" };
  const config = { registry: "https://mirror.example/npm/", "@corp:registry": "http://corp.example:4873/", cafile: "/etc/corp.pem" };
  const reading = readNodePreset(presetFacts({ answers: answers(config), environment, files }));
  assert.deepEqual(placesOf(reading), ["mirror.example:443 https NPM_CONFIG_REGISTRY", "corp.example:4873 http /home/ann/.npmrc"]);
  assert.equal(reading.set["npm_config_registry"], "https://mirror.example/npm/");
  assert.deepEqual(reading.homeFiles, { ".npmrc": "@corp:registry=http://corp.example:4873/\ncafile=/etc/corp.pem\n" });
  assert.deepEqual(reading.allowRead, ["/etc/corp.pem"]);
});

test("readNodePreset() hands over no credential, says so, and hides a shared file that holds one", () => {
  const files = [
    configFile("global", "/etc/npmrc", "//mirror.example/:_authToken=S3CRET\n"),
    configFile("user", "/home/ann/.npmrc", "registry=https://ann:S3CRET@mirror.example/\n_auth=S3CRET\n"),
  ];
  const reading = readNodePreset(presetFacts({ answers: answers({ registry: "https://ann:S3CRET@mirror.example/" }), files }));
  assert.ok(!JSON.stringify({ ...reading, endpoints: reading.endpoints.map(({ url }) => url) }).includes("S3CRET"));
  assert.deepEqual(reading.denyRead, ["/etc/npmrc"]);
  assert.deepEqual(reading.notes.map(({ key }) => key).toSorted(), [
    "preset.note.credentials",
    "preset.note.credentials-file",
    "preset.note.credentials-file",
  ]);
});

test("readNodePreset() does not reach a registry that only the project asks for: it says host, file, line and rule", () => {
  const project = configFile(
    "project",
    "/project/app/.npmrc",
    "\nregistry=https://planted.example/\n@own:registry=https://own.example/x\n",
  );
  const reading = readNodePreset(presetFacts({ answers: answers({}), files: [project] }));
  assert.deepEqual(placesOf(reading), ["own.example:443 https npm"]);
  assert.deepEqual(reading.notes, [
    {
      key: "preset.note.project-registry",
      values: {
        host: "planted.example",
        port: 443,
        what: "npm: registry",
        file: "/project/app/.npmrc",
        line: 2,
        rule: 'egress: [{id: planted-example, hosts: ["planted.example"], ports: [443], protocols: [https], verdict: allow}]',
      },
    },
  ]);
});

test("readNodePreset() refuses an answer or a value that it cannot understand", () => {
  const rows = [
    presetFacts({}),
    presetFacts({ answers: { config: "npm ERR!" } }),
    presetFacts({ answers: { config: "[]" } }),
    presetFacts({ answers: { config: "{}" } }),
    presetFacts({ answers: answers({ registry: "${CORP}/npm" }) }),
    presetFacts({ answers: answers({ registry: 7 }) }),
    presetFacts({
      answers: answers({ cafile: "/x\nregistry=https://planted.example/" }),
      files: [configFile("user", "/home/ann/.npmrc", "cafile=/x\n")],
    }),
  ];
  for (const facts of rows) assert.throws(() => readNodePreset(facts), PresetFault, JSON.stringify(facts.answers));
});
