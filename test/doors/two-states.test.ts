// Two states of one user share the directory of runtime files: each broker has a socket of its own, and every client reaches the broker of its state.
import assert from "node:assert/strict";
import { mkdtemp, readdir, realpath, rename, utimes } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { removeScratch } from "../fixtures/scratch.ts";
import { endBroker, serveBroker, type ServedBroker, shell } from "../fixtures/served-broker.ts";
import { makeOtherwise, runClient } from "../fixtures/thin-client.ts";

test("two states that share XDG_RUNTIME_DIR have a broker each, and both kinds of client reach the right one", async (t) => {
  const runtime = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-runtime-")));
  const variables = { XDG_RUNTIME_DIR: runtime };
  const both = [await serveBroker(t, {}, variables), await serveBroker(t, {}, variables)] as const;
  t.after(() => removeScratch(runtime)); // by which their brokers are ended first
  const opened = [await both[0].open(), await both[1].open()] as const;
  assert.notEqual(both[0].socketPath, both[1].socketPath);
  const names = both.map(({ socketPath }) => path.basename(socketPath)).toSorted();
  assert.deepEqual((await readdir(path.join(runtime, "glovebox"))).toSorted(), names);
  for (const [index, served] of both.entries()) {
    const access = opened[index] ?? opened[0];
    const told = `state ${index}`;
    assert.equal((await shell(served, access, `echo ${told}`)).output, `${told}\n`);
    const place = { t, served, otherwise: await makeOtherwise(served.state) };
    const { stdout, stderr, code } = await runClient(place, ["sandbox", "exec", access.sandbox, "--", "echo", told]);
    assert.deepEqual([stdout.toString(), stderr, code], [`${told}\n`, "", 0]);
    const lines = await served.broker.sandboxes.list();
    assert.deepEqual(
      lines.map(({ sandbox }) => sandbox),
      [access.sandbox],
    );
  }
  await both[0].broker.stop();
  assert.equal((await shell(both[1], opened[1], "echo still")).output, "still\n");
});

/** Kills the broker as a crash would. @returns its socket */
async function kill(served: ServedBroker): Promise<string> {
  const { environment, socketPath } = served;
  await endBroker(environment["XDG_STATE_HOME"] ?? "", async () => process.kill(await served.pid(), "SIGKILL"));
  return socketPath;
}

const age = (file: string): Promise<void> => utimes(file, 1, 1);

test("a broker that starts clears away the socket of one that was killed and whose state is gone, and no other", async (t: TestContext) => {
  const runtime = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-runtime-")));
  const variables = { XDG_RUNTIME_DIR: runtime };
  const serve = () => serveBroker(t, {}, variables);
  const [gone, young, live] = [await serve(), await serve(), await serve()];
  const [goneSocket, youngSocket] = [await kill(gone), await kill(young)];
  await rename(gone.state, `${gone.state}.away`);
  for (const old of [goneSocket, live.socketPath]) await age(old);
  const last = await serve();
  t.after(() => removeScratch(runtime)); // by which their brokers are ended first
  const expected = [youngSocket, live.socketPath, last.socketPath].map((file) => path.basename(file));
  assert.deepEqual((await readdir(path.join(runtime, "glovebox"))).toSorted(), expected.toSorted());
  assert.equal((await shell(live, await live.open(), "echo on")).output, "on\n");
});
