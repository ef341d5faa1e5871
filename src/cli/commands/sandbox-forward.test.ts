// `glovebox sandbox forward`: how it ends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { errorTable } from "../../contracts/error-table.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { fakeBroker, fakeSandbox } from "../../contracts/testing/fake-broker.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const forward = ["sandbox", "forward", fakeSandbox, "5173"];

async function isRefused(stdout: Buffer): Promise<boolean> {
  const port = /^127\.0\.0\.1:(\d+) reaches port 5173/u.exec(stdout.toString())?.[1];
  const socket = connect(Number(port), "127.0.0.1");
  const heard: readonly unknown[] = await once(socket, "error");
  const [error] = heard;
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

test("sandbox forward ends when its sandbox has, says why, and listens no more", async () => {
  const closed = new GloveboxError("SANDBOX_CLOSED", "sandbox.ended-expired", { values: { sandbox: fakeSandbox } });
  const broker = fakeBroker({ untilEnded: () => Promise.reject(closed) });
  const call = await callCli(forward, { door: { reachRunningBroker: async () => broker } });
  assert.equal(call.code, errorTable.SANDBOX_CLOSED.exit);
  assert.match(call.stderr.bytes.toString(), /its time was over/u);
  assert.ok(await isRefused(call.stdout.bytes));
});

test("sandbox forward ends without a word when it is interrupted", async () => {
  const asked = Promise.withResolvers<void>();
  const { sandboxes, ...broker } = fakeBroker();
  const untilEnded: typeof sandboxes.untilEnded = (access, signal) => {
    asked.resolve();
    return sandboxes.untilEnded(access, signal);
  };
  const call = await callCli(forward, {
    door: { reachRunningBroker: async () => ({ ...broker, sandboxes: { ...sandboxes, untilEnded } }) },
    during: ({ events }) => void asked.promise.then(() => events.emit("SIGINT")),
  });
  assert.deepEqual([call.code, call.stderr.bytes.length], [0, 0]);
  assert.ok(await isRefused(call.stdout.bytes));
});
