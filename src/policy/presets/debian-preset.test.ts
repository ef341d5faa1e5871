// Tables of apt's sources and what follows from them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configFile, placesOf, presetFacts } from "../testing/preset-facts.ts";
import { readDebianPreset } from "./debian-preset.ts";
import { PresetFault } from "../../contracts/preset.ts";

const home = "/run/sandbox/home";

test("readDebianPreset() reaches each host of apt's sources once, and shows local ones", () => {
  const sources = [
    "'http://deb.example/debian/dists/stable/InRelease' deb.example_debian_dists_stable_InRelease 0 ",
    "'https://sec.example/./Packages.xz' x 0 ",
    "'file:/srv/repo/./InRelease' x 0",
    "'copy:/srv/more/dists/x/InRelease' x 0",
    "",
  ].join("\n");
  const reading = readDebianPreset(presetFacts({ answers: { sources } }), home);
  assert.deepEqual(placesOf(reading), ["deb.example:80 http apt", "sec.example:443 https apt"]);
  assert.deepEqual(reading.allowRead, ["/srv/repo", "/srv/more"]);
  const elsewhere = readDebianPreset(presetFacts({ answers: { sources, list: "/srv/apt.list", parts: "/srv/parts" } }), home);
  assert.match(elsewhere.homeFiles[".apt/apt.conf"] ?? "", /SourceList "\/srv\/apt\.list";\nDir::Etc::SourceParts "\/srv\/parts";/u);
  assert.match(reading.homeFiles[".apt/apt.conf"] ?? "", /Dir::Cache "\/run\/sandbox\/home\/\.apt"/u);
  assert.equal(reading.set["APT_CONFIG"], "/run/sandbox/home/.apt/apt.conf");
});

test("readDebianPreset() hides a list that holds a password, and says so", () => {
  const address = "https://ann:S3CRET@deb.example/";
  const sources = `'${address}InRelease' x 0\n`;
  const files = [configFile("global", "/etc/apt/sources.list", `deb ${address} stable main\n`)];
  const reading = readDebianPreset(presetFacts({ answers: { sources }, files }), home);
  assert.deepEqual(reading.denyRead, ["/etc/apt/sources.list"]);
  assert.ok(!JSON.stringify(reading).includes("S3CRET"));
  assert.equal(reading.notes.length, 1);
});

test("readDebianPreset() refuses a source whose host cannot be told, and a machine without sources", () => {
  for (const sources of ["", "mirror+file:/etc/mirrors.txt", "tor+http://x.example/", "https://"])
    assert.throws(() => readDebianPreset(presetFacts({ answers: { sources: `'${sources}' x 0` } }), home), PresetFault, sources);
});
