// `glovebox srt`: which settings are asked for, what is run by them, and what is refused before anything is opened.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { PolicyImportRequest } from "../../contracts/policy-import.ts";
import type { RunRequest } from "../../contracts/door.ts";
import { createFakeDoor, fakeImport, fakeResult } from "../testing/fake-door.ts";
import { inDirectory } from "../testing/in-directory.ts";
import { callCli, type FakeCall } from "../testing/run-fake-cli.ts";

interface Srt extends FakeCall {
  readonly imports: readonly PolicyImportRequest[];
  readonly runs: readonly RunRequest[];
}

async function srt(argv: readonly string[], options: Parameters<typeof callCli>[1] = {}): Promise<Srt> {
  const imports: PolicyImportRequest[] = [];
  const runs: RunRequest[] = [];
  const door = {
    importPolicy: async (request: PolicyImportRequest) => (imports.push(request), fakeImport),
    run: async (request: RunRequest) => (runs.push(request), fakeResult({ exitCode: 7 })),
    ...options.door,
  };
  const call = await callCli(["srt", ...argv], { home: "/home/ada", ...options, door });
  return { ...call, imports, runs };
}

test("srt runs the words by the settings in the home directory, and gives the code back", async () => {
  await inDirectory(async (cwd) => {
    const call = await srt(["npm", "test", "--json", "--lang", "zh"], { cwd, env: { HOME: "/elsewhere" } });
    assert.equal(call.code, 7);
    assert.equal(call.imports[0]?.file, "/home/ada/.srt-settings.json");
    assert.equal(typeof call.imports[0]?.orElse, "string");
    assert.equal(call.imports[0]?.base, undefined);
    assert.deepEqual(call.runs[0]?.argv, ["npm", "test", "--json", "--lang", "zh"]);
    assert.deepEqual(JSON.parse(call.runs[0]?.policy.document?.text ?? ""), fakeImport.document);
    assert.equal(call.runs[0]?.outside, undefined);
  });
});

test("srt -s names a file that must be there, and -c gives the shell a line", async () => {
  await inDirectory(async (cwd) => {
    const call = await srt(["-s", "mine.json", "-c", "ls | wc -l"], { cwd });
    assert.deepEqual(call.imports, [{ from: "srt", file: `${cwd}/mine.json`, projectDirectory: cwd }]);
    assert.deepEqual(call.runs[0]?.argv, ["bash", "-c", "ls | wc -l"]);
  });
});

test("srt says in one line that settings are refused, and with -d which", async () => {
  await inDirectory(async (cwd) => {
    assert.match((await srt(["true"], { cwd })).err(), /^glovebox: 1 setting of [^\n]* is refused here; -d says which\n$/u);
    assert.match((await srt(["-d", "true"], { cwd })).err(), /network\.httpProxyPort: refused: nothing leaves/u);
    const importPolicy = async () => ({ ...fakeImport, notes: fakeImport.notes.map((note) => ({ ...note, kind: "stricter" as const })) });
    assert.equal((await srt(["true"], { cwd, door: { importPolicy } })).err(), "");
  });
});

test("srt refuses a control descriptor and a line without a command, and opens nothing", async () => {
  await inDirectory(async (cwd) => {
    for (const argv of [["--control-fd", "3", "true"], [], ["-d"], ["-c", ""]]) {
      const call = await srt(argv, { cwd });
      assert.equal(call.code, 2, argv.join(" "));
      assert.equal(call.doorOpened, 0, argv.join(" "));
    }
  });
});

test("srt --help and --version are answered and run nothing; what stands behind -- is the command's", async () => {
  await inDirectory(async (cwd) => {
    const help = await srt(["ls", "--help"], { cwd });
    assert.match(help.out(), /glovebox srt/u);
    assert.equal(help.doorOpened, 0);
    assert.equal((await srt(["--version"], { cwd })).out(), "glovebox 1.2.3\n");
    assert.deepEqual((await srt(["--", "ls", "--help"], { cwd })).runs[0]?.argv, ["ls", "--help"]);
  });
});

test("srt takes global options in front of it, and leaves a result file that its command names alone", async () => {
  await inDirectory(async (cwd) => {
    const call = await callCli(["--lang", "zh", "srt", "run", "--result-file=x", "--control-fd", "3"], { cwd, door: createFakeDoor() });
    assert.equal(call.code, 2);
    assert.match(call.err(), /无法使用/u);
    assert.deepEqual(readdirSync(cwd), []);
  });
});
