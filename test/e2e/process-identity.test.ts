// A process that has ended is gone, also while its parent has not waited for it: what it left must be cleaned up.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { processStartTime } from "../../src/kit/process-identity.ts";

const parent = `
import os, sys
child = os.fork()
if child == 0: os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
sys.stdin.read()
`;

test("processStartTime() finds no process that has ended and waits for its parent", async () => {
  const child = spawn("/usr/bin/python3", ["-c", parent], { stdio: ["pipe", "pipe", "inherit"] });
  let ended = Number.NaN;
  child.stdout.once("data", (said: Buffer) => void (ended = Number(said.toString())));
  await once(child.stdout, "data");
  assert.ok(ended > 1);
  assert.equal(await processStartTime(ended), undefined);
  assert.ok((await processStartTime(child.pid ?? 0)) !== undefined);
  child.stdin.end();
  await once(child, "exit");
  assert.equal(await processStartTime(child.pid ?? 0), undefined);
});
