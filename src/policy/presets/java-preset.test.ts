// Tables of maven's settings and what follows from them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { readJavaPreset } from "./java-preset.ts";
import { PresetFault } from "../../contracts/preset.ts";

const repository = (id: string, url: string): string => `<repository><id>${id}</id><url>${url}</url></repository>`;
const own = configFile(
  "tool",
  "/usr/share/maven/lib/maven-model-builder.jar",
  `<project><repositories>${repository("central", "https://own.example/m2")}</repositories></project>`,
);
const settings = (inner: string, level: "user" | "global" = "user") =>
  configFile(level, `/x/${level}/settings.xml`, `<settings>${inner}</settings>`);
const mirror = (id: string, of: string, url: string, rest = ""): string =>
  `<mirror><id>${id}</id><mirrorOf>${of}</mirrorOf><url>${url}</url>${rest}</mirror>`;
const read = (...files: readonly ReturnType<typeof configFile>[]) => readJavaPreset(presetFacts({ files: [own, ...files] }));

test("readJavaPreset() takes maven's own repository where the settings name none", () => {
  const reading = read(settings("<!-- nothing -->"));
  assert.deepEqual(placesOf(reading), ["own.example:443 https maven"]);
  assert.deepEqual(reading.homeFiles, {});
});

test("readJavaPreset() follows mirrors as maven chooses them", () => {
  const more = `<profiles><profile><id>p</id><repositories>${repository("extra", "http://extra.example:8081/x")}</repositories></profile></profiles><activeProfiles><activeProfile>p</activeProfile></activeProfiles>`;
  const rows = [
    [mirror("all", "*", "https://all.example/"), ["all.example:443 https /x/user/settings.xml"]],
    [
      mirror("all", "external:*,!extra", "https://all.example/"),
      ["extra.example:8081 http /x/user/settings.xml", "all.example:443 https /x/user/settings.xml"],
    ],
    [
      mirror("all", "*", "https://all.example/") + mirror("c", "central", "https://c.example/"),
      ["all.example:443 https /x/user/settings.xml", "c.example:443 https /x/user/settings.xml"],
    ],
    [mirror("blocker", "external:http:*", "http://0.0.0.0/", "<blocked>true</blocked>"), ["own.example:443 https maven"]],
    ["", ["extra.example:8081 http /x/user/settings.xml", "own.example:443 https maven"]],
  ] as const;
  for (const [mirrors, places] of rows) assert.deepEqual(placesOf(read(settings(`<mirrors>${mirrors}</mirrors>${more}`))), places, mirrors);
});

test("readJavaPreset() takes no repository from a profile that is not active by itself", () => {
  const profile = `<profile><id>p</id><repositories>${repository("extra", "https://extra.example/")}</repositories></profile>`;
  assert.deepEqual(placesOf(read(settings(`<profiles>${profile}</profiles>`))), ["own.example:443 https maven"]);
});

test("readJavaPreset() writes settings without servers and passwords, and names the servers", () => {
  const server = "<servers><server><id>corp</id><username>ann</username><password>S3CRET</password></server></servers>";
  const text = `${server}<mirrors>${mirror("corp", "*", "https://ann:S3CRET@corp.example/m2?a=1&amp;b=2")}</mirrors>`;
  const reading = read(settings(text, "global"));
  assert.ok(!JSON.stringify(reading).includes("S3CRET"));
  assert.equal(
    reading.homeFiles[".m2/settings.xml"],
    "<settings><mirrors><mirror><id>corp</id><mirrorOf>*</mirrorOf><url>https://corp.example/m2</url></mirror></mirrors></settings>\n",
  );
  assert.deepEqual(reading.denyRead, ["/x/global/settings.xml"]);
  assert.deepEqual(reading.notes.map(({ key }) => key).toSorted(), ["preset.note.credentials", "preset.note.maven-server"]);
});

test("readJavaPreset() lets the user's mirror of an id stand before the installation's", () => {
  const files = [
    settings(`<mirrors>${mirror("m", "*", "https://global.example/")}</mirrors>`, "global"),
    settings(`<mirrors>${mirror("m", "*", "https://user.example/")}</mirrors>`),
  ];
  assert.deepEqual(placesOf(read(...files)), ["user.example:443 https /x/user/settings.xml"]);
});

test("readJavaPreset() reaches no repository of a project's pom, and says what it asks for", () => {
  const pom = configFile(
    "project",
    "/project/pom.xml",
    `<project><repositories>${repository("planted", "https://planted.example/")}</repositories></project>`,
  );
  const broken = configFile("project", "/project/.mvn/settings.xml", "<settings>");
  const reading = read(pom, broken);
  assert.deepEqual(placesOf(reading), ["own.example:443 https maven"]);
  assert.deepEqual(
    reading.notes.map(({ values }) => [values?.["host"], values?.["file"]]),
    [["planted.example", "/project/pom.xml"]],
  );
});

test("readJavaPreset() refuses settings that it cannot understand, and a maven that names no repository", () => {
  assert.throws(() => readJavaPreset(presetFacts({})), PresetFault);
  assert.throws(() => read(configFile("user", "/x/settings.xml", "<settings><mirrors>")), PresetFault);
  assert.throws(() => read(configFile("user", "/x/settings.xml", "<!DOCTYPE settings><settings/>")), PresetFault);
  assert.throws(() => read(settings(`<mirrors>${mirror("m", "*", "${env.MIRROR}")}</mirrors>`)), PresetFault);
});
