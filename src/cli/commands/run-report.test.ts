// What `glovebox run` shows and writes when the command is over: filtered output, answer sheet, notes, JSON, result file.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { runJsonSchema, runResultFileSchema } from "../../contracts/run-result-file.ts";
import { fakeResult, fakeSheet, fakeTask } from "../testing/fake-door.ts";
import { inDirectory } from "../testing/in-directory.ts";
import { callCli } from "../testing/run-fake-cli.ts";
import { writing } from "../testing/writing-door.ts";

const allTerminals = ["stdin", "stdout", "stderr"] as const;

test("run shows hostile control sequences as text on a terminal, and passes them unchanged through a pty", async () => {
  const hostile = "\u001B[31mred\u001B[0m \u001B]52;c;eA==\u0007\n";
  const door = writing([["stdout", hostile]]);
  const filtered = await callCli(["run", "--no-pty", "--quiet", "--", "x"], { terminals: allTerminals, door });
  assert.equal(filtered.out(), "\u001B[31mred\u001B[0m \\x1b]52;c;eA==\\x07\n\u001B[0m");
  const raw = await callCli(["run", "--quiet", "--", "x"], { terminals: allTerminals, door });
  assert.ok(raw.out().startsWith(hostile));
});

test("run prints the short answer sheet on a terminal or when asked, escaped and within the columns", async () => {
  const door = writing([["stdout", "out\n"]], { sheet: fakeSheet(`\u001B[2J\u202E/${"p".repeat(10_000)}`) });
  const quiet = await callCli(["run", "--", "x"], { door });
  assert.equal(quiet.err(), "");
  const asked = await callCli(["run", "--sheet", "--", "x"], { door });
  assert.match(asked.err(), new RegExp(`task ${fakeTask}, ledger 12-16`, "u"));
  for (const label of ["read", "write", "connect", "as whom", "happened", "kept", "held by"])
    assert.match(asked.err(), new RegExp(`^ {2}${label} `, "mu"));
  assert.doesNotMatch(asked.err().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  assert.equal(asked.out(), "out\n");
  const shown = await callCli(["run", "--", "x"], { door, terminals: ["stderr"], env: { NO_COLOR: "1" }, columns: 60 });
  const rows = shown
    .err()
    .split("\n")
    .filter((line) => line.startsWith("  "));
  assert.ok(rows.length >= 7);
  for (const row of rows) assert.ok(row.length <= 60, row);
  assert.equal((await callCli(["run", "--quiet", "--", "x"], { door, terminals: ["stderr"] })).err(), "");
});

test("run begins its own lines on a new line of the terminal", async () => {
  const terminals = ["stdout", "stderr"] as const;
  const open = await callCli(["run", "--", "x"], { door: writing([["stdout", "no end"]]), terminals, env: { NO_COLOR: "1" } });
  assert.match(open.err(), /^\nglovebox: ok/u);
  const closed = await callCli(["run", "--", "x"], { door: writing([["stdout", "end\n"]]), terminals, env: { NO_COLOR: "1" } });
  assert.match(closed.err(), /^glovebox: ok/u);
});

test("run assumes 24 x 80 for a terminal that does not know its size, and then cuts nothing", async () => {
  const call = await callCli(["run", "--", "x"], { terminals: allTerminals, columns: 0, env: { NO_COLOR: "1" } });
  assert.deepEqual((call.door.calls[0]?.values[0] as { pty: unknown } | undefined)?.pty, { rows: 24, columns: 80 });
  assert.match(call.err(), /read {6}\/home\/ada\/project/u);
});

test("run says why it ended when that was not the command's own choice", async () => {
  const notes = [{ key: "cli.run.not-found", values: { command: "cmd\u001B" } }];
  const call = await callCli(["run", "--", "cmd"], { door: { run: async () => fakeResult({ exitCode: 127, outcome: "failed", notes }) } });
  assert.equal(call.code, 127);
  assert.match(call.err(), /^glovebox: .*cmd\\x1b.*no such command/u);
});

test("run --json gives one document with result and bounded, marked output", async () => {
  const door = writing(
    [
      ["stdout", "0123456789"],
      ["stderr", "\u202Eabc"],
      ["stdout", "never"],
    ],
    { stdoutBytes: 15, stderrBytes: 6, exitCode: 3, outcome: "failed", child: { kind: "exited", value: 3 } },
  );
  const call = await callCli(["run", "--json", "--", "x"], { door });
  assert.equal(call.code, 3);
  assert.equal(call.err(), "");
  assert.doesNotMatch(call.out().replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  const document = runJsonSchema.parse(JSON.parse(call.out()));
  assert.ok("result" in document);
  assert.equal(document.exitCode, 3);
  assert.deepEqual(document.output.stdout, { untrusted: true, bytes: 15, returnedBytes: 10, isTruncated: true, text: "0123456789" });
  assert.deepEqual(document.output.stderr, { untrusted: true, bytes: 6, returnedBytes: 6, isTruncated: false, text: "\u202Eabc" });
  assert.equal(document.result.sheet.answers.length, 7);
});

test("run --json gives bytes that are not UTF-8 as base64", async () => {
  const raw = Uint8Array.from([0x61, 0xff, 0x00]);
  const call = await callCli(["run", "--json", "--", "x"], { door: writing([["stdout", raw]]) });
  const document = runJsonSchema.parse(JSON.parse(call.out()));
  assert.ok("output" in document);
  assert.deepEqual(document.output.stdout, { untrusted: true, bytes: 3, returnedBytes: 3, isTruncated: false, base64: "Yf8A" });
});

test("run --result-file holds the truth in a private file, and leaves no other file", async () => {
  await inDirectory(async (cwd) => {
    const door = writing([["stdout", "x"]], { outcome: "timeout", exitCode: 124, child: { kind: "signalled", value: 9 } });
    const call = await callCli(["run", "--result-file", "result.json", "--", "x"], { cwd, door });
    assert.equal(call.code, 124);
    const file = path.join(cwd, "result.json");
    const document = runResultFileSchema.parse(JSON.parse(await readFile(file, "utf8")));
    assert.ok("result" in document);
    assert.equal(document.exitCode, 124);
    assert.deepEqual(document.result.child, { kind: "signalled", value: 9 });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(cwd), ["result.json"]);
  });
});

test("run --result-file says why it was refused", async () => {
  await inDirectory(async (cwd) => {
    const error = new GloveboxError("POLICY_DENIED", "run.denied", { values: { command: "rm", rule: "c1" } });
    const refusing = { run: () => Promise.reject(error) };
    const call = await callCli(["run", "--json", "--result-file", "result.json", "--", "rm"], { cwd, door: refusing });
    assert.equal(call.code, 120);
    const document = runResultFileSchema.parse(JSON.parse(await readFile(path.join(cwd, "result.json"), "utf8")));
    assert.ok("error" in document);
    assert.equal(document.exitCode, 120);
    assert.equal(document.error.code, "POLICY_DENIED");
    assert.deepEqual(runJsonSchema.parse(JSON.parse(call.out())), { error: document.error });
    // A usage error behind the file's own check is recorded too.
    await callCli(["run", "--result-file", "usage.json", "--env", "X", "--", "rm"], { cwd });
    assert.match(await readFile(path.join(cwd, "usage.json"), "utf8"), /USAGE_INVALID/u);
  });
});

test("run refuses a result file that is a link or a directory", async () => {
  await inDirectory(async (cwd) => {
    await mkdir(path.join(cwd, "directory"));
    await symlink("/dev/null", path.join(cwd, "link"));
    for (const name of ["directory", "link"]) {
      const call = await callCli(["run", "--result-file", name, "--", "x"], { cwd });
      assert.equal(call.code, 2, name);
      assert.equal(call.doorOpened, 0);
    }
  });
});

test("run writes a usage error into the result file, so that an older one cannot pass for it; only where the line names one file of ours", async () => {
  await inDirectory(async (cwd) => {
    const written = async (argv: readonly string[]): Promise<boolean> => {
      const file = path.join(cwd, "r.json");
      await writeFile(file, "old");
      assert.equal((await callCli(argv, { cwd })).code, 2, argv.join(" "));
      const text = await readFile(file, "utf8");
      if (text === "old") return false;
      const document = runResultFileSchema.parse(JSON.parse(text));
      assert.ok("error" in document && document.error.code === "USAGE_INVALID" && document.exitCode === 2);
      return true;
    };
    assert.ok(await written(["run", "--result-file", "r.json", "--frob", "--", "true"]));
    assert.ok(await written(["--lang", "zh", "run", "--frob", "x", "--result-file=r.json", "--", "true"]));
    assert.ok(await written(["run", "--wall", "1s", "--result-file", "r.json", "true"]), "the separator is missing");
    assert.ok(await written(["run", "--result-file", "r.json"]), "the command is missing");
    assert.ok(await written(["run", "--result-file", "r.json", "--cwd", "absent", "--", "true"]));
    assert.ok(!(await written(["run", "--result-file", "r.json", "--result-file", "s.json", "--", "true"])));
    assert.ok(!(await written(["run", "make", "--result-file", "r.json"])), "that is the command's own");
    assert.ok(!(await written(["run", "--frob", "--", "x", "--result-file", "r.json"])));
    assert.ok(!(await written(["ledger", "ls", "--result-file", "r.json"])));
  });
});
