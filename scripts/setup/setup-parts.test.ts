// The pure parts of set-up, and the places where it refuses to run.
import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { chooseLanguage as chooseProductLanguage } from "../../src/texts/texts.ts";
import { parseArguments } from "./arguments.mjs";
import { commandToShow } from "./debian.mjs";
import { refuseInsideSandbox, refuseUnsuitablePlace } from "./place.mjs";
import { planTitle } from "./plan.mjs";
import { machineEnvironment } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";
import { chooseLanguage, openSpeaker } from "./speaker.mjs";

const repository = path.dirname(path.dirname(import.meta.dirname));

test("chooseLanguage() of set-up decides as the product does", () => {
  const values = [undefined, "", "C", "en_US.UTF-8", "zh", "zh_CN.UTF-8", "ZH-TW", "zha"];
  for (const asked of [undefined, "en", "zh", "fr"]) {
    for (const LC_ALL of values) {
      for (const LANG of values) {
        const environment = { LC_ALL, LANG };
        assert.equal(
          chooseLanguage(asked, environment),
          chooseProductLanguage(asked, environment),
          JSON.stringify({ asked, ...environment }),
        );
      }
    }
  }
});

test("parseArguments() reads options before and after the subcommand", () => {
  const { options } = parseArguments(["--yes", "--lang", "zh", "setup"]);
  assert.deepEqual(options, { mode: "setup", yes: true, forTests: false, language: "zh" });
  assert.equal(parseArguments(["setup", "--yes"]).options.yes, true);
  assert.equal(parseArguments(["needed"]).options.mode, "needed");
  assert.equal(parseArguments(["setup", "--help"]).options.mode, "help");
});

test("parseArguments() complains about what it does not know", () => {
  assert.equal(parseArguments(["setup", "--yse"]).complaint, "--yse");
  assert.equal(parseArguments(["setup", "now"]).complaint, "now");
});

test("machineEnvironment() takes out every node_modules/.bin, and nothing else", () => {
  const environment = machineEnvironment({ PATH: "/a/node_modules/.bin:/usr/bin:/b/node_modules/.bin:/bin", HOME: "/h" });
  assert.deepEqual(environment, { PATH: "/usr/bin:/bin", HOME: "/h" });
});

test("planTitle() tells what will happen from what would, and says when it is for the tests", () => {
  const titles = [false, true].flatMap((forTests) => [false, true].map((yes) => planTitle({ yes, forTests })));
  assert.deepEqual(titles, ["setup.plan.title", "setup.plan.agreed", "setup.plan.for-tests", "setup.plan.for-tests-agreed"]);
});

test("commandToShow() is one line that can be pasted", () => {
  assert.equal(commandToShow(["gcc", "make"]), "apt-get update && apt-get install -y --no-install-recommends gcc make");
});

test("openSpeaker() fills in values and says each line on its own", () => {
  let said = "";
  const speaker = openSpeaker(repository, "en", (text) => (said += text));
  speaker.say("setup.step", { number: 1, total: 2, step: "x" });
  assert.equal(said, "glovebox: [1/2] x\n");
  assert.equal(openSpeaker(repository, "zh", () => {}).sentence("setup.ready"), "Glovebox 已准备好。");
});

test("the sentence for a machine without Node is found by sed: one line for each language", () => {
  const text = readFileSync(path.join(repository, "src/texts/catalogue/setup.json"), "utf8");
  for (const part of ["message", "hint"]) {
    assert.match(text, new RegExp(`"error\\.setup\\.no-node\\.${part}": \\{\\n\\s+"en": ".*",\\n\\s+"zh": ".*"\\n\\s+\\}`, "u"));
  }
});

function situationOf(work: () => void): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SetupError) return error.situation;
    throw error;
  }
  return "none";
}

test("refuseInsideSandbox() refuses where a guard is", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "glovebox-guard-"));
  const guard = path.join(directory, "guard");
  assert.equal(
    situationOf(() => refuseInsideSandbox(guard)),
    "none",
  );
  writeFileSync(guard, "");
  assert.equal(
    situationOf(() => refuseInsideSandbox(guard)),
    "setup.inside-sandbox",
  );
  rmSync(directory, { recursive: true });
});

test("refuseUnsuitablePlace() refuses somebody else's clone, and one that cannot be written", () => {
  const root = mkdtempSync(path.join(tmpdir(), "glovebox-place-"));
  const context = { root, forTests: false };
  assert.equal(
    situationOf(() => refuseUnsuitablePlace(context)),
    "none",
  );
  if (process.getuid?.() === 0) {
    chownSync(root, 65_534, 65_534);
    assert.equal(
      situationOf(() => refuseUnsuitablePlace(context)),
      "setup.other-owner",
    );
    assert.equal(
      situationOf(() => refuseUnsuitablePlace({ root, forTests: true })),
      "none",
    );
  } else {
    assert.equal(
      situationOf(() => refuseUnsuitablePlace({ root: "/usr", forTests: true })),
      "setup.other-owner",
    );
    chmodSync(root, 0o555);
    assert.equal(
      situationOf(() => refuseUnsuitablePlace(context)),
      "setup.read-only",
    );
  }
  rmdirSync(root);
});
