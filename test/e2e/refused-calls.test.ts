// What the mediator refuses reaches the person: a record with commitments and counts, its detail in the blob, and a line of the answer sheet.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import { capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

const installation = path.join(import.meta.dirname, "..", "..");

test("a refused call is recorded without its path in the leaf, and said on the answer sheet", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-refused-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const environment = { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/local/bin:/usr/bin:/bin" };
  const cli = (...words: readonly string[]) => capture(process.execPath, [commandLine, ...words], { environment, timeoutMs: 120_000 });
  const script = "for name in .envrc .bashrc; do echo x > $name; done; mkdir .git && echo x > .git/config; true";
  const run = await cli("run", "--quiet", "--project", project, "--cwd", project, "--", "sh", "-c", script);
  assert.equal(run.code, 0, run.stderr);
  const door = composeDoor({ environment, installation });
  const records = await door.records({ limit: 100 });
  const record = records.find(({ type }) => type === "execution.refused-calls");
  assert.ok(record?.task !== undefined);
  assert.equal(record.body["total"], 3);
  assert.deepEqual(record.body["rules"], [
    { rule: "gitConfig", count: 1 },
    { rule: "listedName", count: 2 },
  ]);
  assert.ok(!JSON.stringify(record.body).includes("envrc"));
  assert.deepEqual(
    record.detail?.["calls"],
    [".envrc", ".bashrc", ".git/config"].map((name) => ({
      call: "open",
      errno: "EACCES",
      rule: name === ".git/config" ? "gitConfig" : "listedName",
      path: path.join(project, name),
    })),
  );
  const { stdout } = await cli("explain", record.task, "--lang", "en");
  assert.match(stdout, /refused to open ".*\/project\/\.envrc": the name is protected/u);
  assert.equal((await door.verify({})).exit, 0);
});

test("a call into a network that is not there is told at the end of the run, and where nobody listens is no such call", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-no-network-")));
  t.after(() => removeScratch(base));
  const project = path.join(base, "project");
  await mkdir(project);
  const environment = { XDG_STATE_HOME: path.join(base, "state"), PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  const run = (script: string) =>
    capture(process.execPath, [commandLine, "run", "--project", project, "--cwd", project, "--", "python3", "-c", script], {
      environment,
      timeoutMs: 120_000,
    });
  const call = (kind: string, host: string, port: number): string =>
    `try: socket.socket(${kind}).connect((${JSON.stringify(host)}, ${port}))\nexcept OSError as error: print(error.errno)\n`;
  const [stream, packets] = ["socket.AF_INET", "socket.AF_INET6, socket.SOCK_DGRAM"];
  const far = [call(stream, "198.51.100.7", 443), call(stream, "198.51.100.7", 443), call(packets, "2001:db8::7", 123)];
  const named = call("socket.AF_INET, socket.SOCK_DGRAM", "127.0.0.53", 53);
  const told = await run(`import socket\n${far.join("")}${named}`);
  assert.equal(told.stdout, "101\n101\n101\n", told.stderr);
  assert.match(told.stderr, /^glovebox: The command called 198\.51\.100\.7 port 443, 2001:db8::7 port 123, but there is no network here/mu);
  assert.match((await run(`import socket\n${named}`)).stderr, /^glovebox: The command looked up a name, but there is no network here/mu);
  const near = await run(`import socket\n${call(stream, "127.0.0.1", 8080)}`);
  assert.deepEqual([near.stdout, near.stderr.includes("no network here")], ["111\n", false], near.stderr);
});
