// Tables of pip's configuration and what follows from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { PresetFault } from "../../contracts/preset.ts";
import { readPythonPreset } from "./python-preset.ts";

const own = configFile(
  "tool",
  "/usr/lib/pip/_internal/models/index.py",
  'PyPI = PackageIndex(\n    "https://own.example/", file_storage_domain="files.example"\n)\nTestPyPI = PackageIndex("https://test.example/")\n',
);

test("readPythonPreset() takes pip's own index and its files where nobody configured one", () => {
  const reading = readPythonPreset(presetFacts({ files: [own] }));
  assert.deepEqual(placesOf(reading), ["own.example:443 https pip", "files.example:443 https pip"]);
  assert.deepEqual([reading.set, reading.homeFiles], [{}, {}]);
});

test("readPythonPreset() replaces pip's own index by the configured one, in pip's order of strength", () => {
  const files = [
    own,
    configFile("global", "/etc/pip.conf", "[install]\nindex-url = https://install.example/simple\n[global]\ncert = /etc/corp.pem\n"),
    configFile(
      "user",
      "/home/ann/.config/pip/pip.conf",
      "[global]\nindex-url = https://user.example/simple\nfind-links = /srv/wheels file:///srv/more%20wheels\n",
    ),
  ];
  const reading = readPythonPreset(presetFacts({ files }));
  assert.deepEqual(placesOf(reading), ["install.example:443 https /etc/pip.conf"]);
  assert.deepEqual(reading.allowRead, ["/srv/wheels", "/srv/more wheels", "/etc/corp.pem"]);
  assert.equal(
    reading.homeFiles[".config/pip/pip.conf"],
    "[global]\nindex-url = https://install.example/simple\nfind-links = /srv/wheels\n    file:///srv/more%20wheels\ncert = /etc/corp.pem\n",
  );
});

test("readPythonPreset() lets a variable speak loudest, and keeps the files of pip's own index when that is configured by name", () => {
  const environment = { PIP_INDEX_URL: "https://own.example/simple", PIP_EXTRA_INDEX_URL: "https://a.example/ https://b.example/" };
  const reading = readPythonPreset(presetFacts({ files: [own], environment }));
  assert.deepEqual(placesOf(reading), [
    "own.example:443 https PIP_INDEX_URL",
    "a.example:443 https PIP_EXTRA_INDEX_URL",
    "b.example:443 https PIP_EXTRA_INDEX_URL",
    "files.example:443 https pip",
  ]);
  assert.deepEqual(reading.set, environment);
});

test("readPythonPreset() reaches no index where the configuration forbids one", () => {
  const files = [own, configFile("user", "/home/ann/pip.conf", "[global]\nno-index = true\nfind-links = /srv/wheels\n")];
  assert.deepEqual(placesOf(readPythonPreset(presetFacts({ files }))), []);
});

test("readPythonPreset() hands over no credential and hides a shared file that holds one", () => {
  const files = [own, configFile("global", "/etc/pip.conf", "[global]\nindex-url = https://ann:S3CRET@corp.example/simple\n")];
  const environment = { PIP_EXTRA_INDEX_URL: "https://S3CRET@more.example/" };
  const reading = readPythonPreset(presetFacts({ files, environment }));
  assert.ok(!JSON.stringify(reading).includes("S3CRET"));
  assert.equal(reading.set["PIP_EXTRA_INDEX_URL"], "https://more.example/");
  assert.deepEqual(reading.denyRead, ["/etc/pip.conf"]);
  assert.equal(reading.notes.length, 2);
});

test("readPythonPreset() does what no file of the project says, and says what it asks for", () => {
  const files = [
    own,
    configFile("project", "/project/requirements.txt", "# x\n--extra-index-url https://planted.example/simple\nrequests\n"),
    configFile("project", "/project/pip.conf", "[global]\nindex-url = https://other.example/\n"),
  ];
  const reading = readPythonPreset(presetFacts({ files }));
  assert.deepEqual(placesOf(reading), ["own.example:443 https pip", "files.example:443 https pip"]);
  assert.deepEqual(
    reading.notes.map(({ values }) => [values?.["host"], values?.["file"], values?.["line"]]),
    [
      ["planted.example", "/project/requirements.txt", 2],
      ["other.example", "/project/pip.conf", 2],
    ],
  );
});

test("readPythonPreset() refuses where pip's own index is not told, or an address is none", () => {
  const strange = configFile("tool", "/usr/lib/pip/index.py", "PyPI = make_index()\n");
  const rows = [
    presetFacts({}),
    presetFacts({ files: [strange] }),
    presetFacts({ files: [own], environment: { PIP_INDEX_URL: "wheels" } }),
    presetFacts({ files: [own], environment: { PIP_INDEX_URL: "file:///%zz" } }),
  ];
  for (const facts of rows) assert.throws(() => readPythonPreset(facts), PresetFault);
});
