// Tables of cargo's configuration and what follows from it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { PresetFault } from "../../contracts/preset.ts";
import { cargoIndexes, readRustPreset } from "./rust-preset.ts";

const own = "Caused by:\n  failed to download from `https://own.example/config.json`\n";
const dl = { "config.json of https://own.example/": '{"dl":"https://files.example/crates/{crate}","api":"https://api.example"}' };
const user = (text: string) => configFile("user", "/home/ann/.cargo/config.toml", text);

test("readRustPreset() takes the index that cargo names, and the files where that index says they are", () => {
  const reading = readRustPreset(presetFacts({ answers: { index: own, ...dl } }));
  assert.deepEqual(placesOf(reading), ["own.example:443 https cargo", "files.example:443 https config.json of https://own.example/"]);
  assert.deepEqual([reading.homeFiles, reading.notes], [{}, []]);
});

test("readRustPreset() says so when nobody knows where an index keeps its files, and guesses nothing", () => {
  for (const answer of ["", "[]", '{"dl": 7}', '{"dl": "ftp://files.example/"}', "not found"]) {
    const reading = readRustPreset(presetFacts({ answers: { index: own, "config.json of https://own.example/": answer } }));
    assert.deepEqual(placesOf(reading), ["own.example:443 https cargo"]);
    assert.deepEqual(
      reading.notes.map(({ key }) => key),
      ["preset.note.cargo-files"],
    );
  }
});

test("readRustPreset() knows the git index of older cargo", () => {
  const answers = { index: "Caused by:\n  failed to fetch `https://git.example/index`\n" };
  const files = { "config.json of https://git.example/index": '{"dl": "https://files.example/"}' };
  const reading = readRustPreset(presetFacts({ answers: { ...answers, ...files } }));
  assert.deepEqual(placesOf(reading), ["git.example:443 https cargo", "files.example:443 https config.json of https://git.example/index"]);
});

test("readRustPreset() follows source replacement to its end, without asking cargo for its own index", () => {
  const file = user(
    '[source.crates-io]\nreplace-with = "a"\n[source.a]\nreplace-with = "b"\nregistry = "https://a.example/"\n[registries.b]\nindex = "sparse+https://ann:S3CRET@b.example/i/"\ntoken = "S3CRET"\n',
  );
  const facts = presetFacts({ files: [file] });
  assert.deepEqual(cargoIndexes(facts), [{ kind: "sparse", address: "https://b.example/i/", certificates: undefined }]);
  const reading = readRustPreset(facts);
  assert.deepEqual(placesOf(reading), ["b.example:443 https /home/ann/.cargo/config.toml"]);
  assert.ok(!JSON.stringify(reading).includes("S3CRET"));
  assert.equal(
    reading.homeFiles[".cargo/config.toml"],
    '[source."crates-io"]\nreplace-with = "a"\n[source."a"]\nreplace-with = "b"\nregistry = "https://a.example/"\n[registries."b"]\nindex = "sparse+https://b.example/i/"\n',
  );
});

test("readRustPreset() shows a directory that replaces the index, relative to the home of its file", () => {
  const file = user('[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "crates/vendor"\n[http]\ncainfo = "/etc/corp.pem"\n');
  const reading = readRustPreset(presetFacts({ files: [file] }));
  assert.deepEqual([placesOf(reading), reading.allowRead], [[], ["/home/ann/crates/vendor", "/etc/corp.pem"]]);
  assert.match(
    reading.homeFiles[".cargo/config.toml"] ?? "",
    /directory = "\/home\/ann\/crates\/vendor"\n\[http\]\ncainfo = "\/etc\/corp\.pem"/u,
  );
});

test("readRustPreset() takes a named registry from a variable", () => {
  const environment = { CARGO_REGISTRIES_MY_CORP_INDEX: "sparse+https://corp.example/" };
  const reading = readRustPreset(presetFacts({ answers: { index: own, ...dl }, environment }));
  assert.ok(placesOf(reading).includes("corp.example:443 https CARGO_REGISTRIES_MY_CORP_INDEX"));
});

test("readRustPreset() follows no replacement of a project, and says what it asks for", () => {
  const planted = '[source.crates-io]\nreplace-with = "p"\n[source.p]\nregistry = "sparse+https://planted.example/"\n';
  const files = [
    configFile("project", "/project/.cargo/config.toml", planted),
    configFile("project", "/project/.cargo/config", "not [toml"),
  ];
  const reading = readRustPreset(presetFacts({ answers: { index: own, ...dl }, files }));
  assert.ok(!placesOf(reading).some((place) => place.startsWith("planted")));
  assert.deepEqual(
    reading.notes.map(({ values }) => [values?.["host"], values?.["file"]]),
    [["planted.example", "/project/.cargo/config.toml"]],
  );
});

test("readRustPreset() refuses what it cannot follow", () => {
  const rows = [
    presetFacts({}),
    presetFacts({ answers: { index: "error: no space left" } }),
    presetFacts({ files: [user("[source")] }),
    presetFacts({ files: [user('[source.crates-io]\nreplace-with = "nobody"\n')] }),
    presetFacts({ files: [user('[source.crates-io]\nreplace-with = "a"\n[source.a]\nreplace-with = "crates-io"\n')] }),
    presetFacts({ files: [user('[source.crates-io]\nreplace-with = "a"\n[source.a]\nregistry = "nowhere"\n')] }),
  ];
  for (const facts of rows) assert.throws(() => readRustPreset(facts), PresetFault, JSON.stringify(facts));
});
