// Tables of Go's settings and what follows from them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { readGoPreset } from "./go-preset.ts";
import { PresetFault } from "../../contracts/preset.ts";

const answers = (environment: Readonly<Record<string, string>>) => ({ env: JSON.stringify(environment) });

test("readGoPreset() reads the proxy and the checksum database as `go env` has merged them", () => {
  const files = [configFile("user", "/home/ann/.config/go/env", "GOSUMDB=sums.example\n")];
  const facts = presetFacts({
    answers: answers({
      GOPROXY: "https://proxy.example/a|http://other.example:8080,direct",
      GOSUMDB: "sums.example",
      GOPRIVATE: "corp.example/*",
    }),
    environment: { GOPROXY: "https://proxy.example/a|http://other.example:8080,direct" },
    files,
  });
  const reading = readGoPreset(facts);
  assert.deepEqual(placesOf(reading), [
    "proxy.example:443 https GOPROXY",
    "other.example:8080 http GOPROXY",
    "sums.example:443 https /home/ann/.config/go/env",
  ]);
  assert.deepEqual(reading.set, {
    GOPROXY: "https://proxy.example/a|http://other.example:8080,direct",
    GOSUMDB: "sums.example",
    GOPRIVATE: "corp.example/*",
  });
  assert.deepEqual(
    reading.notes.map(({ key }) => key),
    ["preset.note.go-direct"],
  );
});

test("readGoPreset() reaches nothing for a local proxy, and no checksum database with it or where it is off", () => {
  const rows = [
    [{ GOPROXY: "off", GOSUMDB: "sums.example" }, []],
    [{ GOPROXY: "file:///srv/go%20modules", GOSUMDB: "sums.example" }, ["/srv/go modules"]],
    [{ GOPROXY: "off", GOSUMDB: "off" }, []],
  ] as const;
  for (const [environment, places] of rows) {
    const reading = readGoPreset(presetFacts({ answers: answers(environment) }));
    assert.deepEqual([placesOf(reading), reading.allowRead], [[], places]);
  }
});

test("readGoPreset() takes the address of a checksum database with a key, and no password of a proxy", () => {
  const environment = { GOPROXY: "https://ann:S3CRET@proxy.example", GOSUMDB: "name+0123+AbC/x= https://sums.example/db" };
  const reading = readGoPreset(presetFacts({ answers: answers(environment) }));
  assert.deepEqual(placesOf(reading), ["proxy.example:443 https go", "sums.example:443 https go"]);
  assert.ok(!JSON.stringify(reading).includes("S3CRET"));
  assert.deepEqual(
    reading.notes.map(({ key }) => key),
    ["preset.note.credentials"],
  );
});

test("readGoPreset() refuses what it cannot understand", () => {
  const rows = [
    {},
    { env: "go: cannot find GOROOT" },
    answers({}),
    answers({ GOPROXY: "https://" }),
    answers({ GOPROXY: "ftp://x.example" }),
  ];
  for (const given of rows) assert.throws(() => readGoPreset(presetFacts({ answers: given })), PresetFault);
});
