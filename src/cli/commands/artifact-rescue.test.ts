// `glovebox artifact rescue`, and the word about what will end with a container.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SandboxLine } from "../../contracts/sandbox-door.ts";
import { fakeAction, fakeBroker, fakeSandbox } from "../../contracts/testing/fake-broker.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const task = "t-0193f0c2a1b2-4d5e6f708192";
const file = { name: "/tmp/a\u001b[31m", bytes: 3, sha256: "00".repeat(32), mediaType: "text/plain", offset: 0 };
const artifacts = { count: 1, bytes: 3, others: 0, isWhole: true, first: [], keptUntil: "2030-01-01" };
const commands = [fakeAction, "a-0193f0c2a1b2-4d5e6f708193"].map((action) => ({
  format: 1 as const,
  action,
  artifacts: [file],
  others: [],
  missed: 0,
  isWhole: true,
  keptUntil: "2030-01-01",
}));

const rescue = (missing: readonly string[], more: readonly string[] = []) => {
  const asked: (readonly string[])[] = [];
  const broker = fakeBroker({
    rescue: async (_, paths) => {
      asked.push(paths);
      return { task, action: fakeAction, artifacts, missing };
    },
  });
  const list = { list: async () => commands, open: () => assert.fail("opened"), verify: async () => [] };
  const words = ["artifact", "rescue", fakeSandbox, ...more];
  return { asked, call: callCli(words, { door: { reachRunningBroker: async () => broker, artifacts: list } }) };
};

test("artifact rescue shows what was kept, escaped, and how to get it", async () => {
  const { asked, call } = rescue([], ["a b", "/tmp"]);
  const { code, out, err } = await call;
  assert.deepEqual([code, asked], [0, [["a b", "/tmp"]]]);
  assert.match(out(), /^\/tmp\/a\\x1b\[31m +3 B +text\/plain/u);
  assert.equal(out().trim().split("\n").length, 1);
  assert.match(err(), new RegExp(`glovebox artifact get ${task} PATH`, "u"));
});

test("artifact rescue names where nothing lies, and says so by its code too", async () => {
  const { code, err } = await rescue(["/tmp/no\u0007thing"]).call;
  assert.equal(code, 2);
  assert.match(err(), /Nothing lies at \/tmp\/no\\x07thing/u);
  const json = await rescue(["/tmp/x"], ["--json"]).call;
  assert.equal(json.code, 2);
  const document: unknown = JSON.parse(json.out());
  assert.deepEqual(document, { task, untrusted: true, commands: [commands[0]], missing: ["/tmp/x"] });
});

test("sandbox ls warns of what was left behind in a container that expires soon, and of no other", async () => {
  const hourMs = 3_600_000;
  const now = Date.now();
  const line = (leftMs: number, count?: number): SandboxLine => ({
    sandbox: fakeSandbox,
    task,
    projectDirectory: "/project",
    policyHash: "sha256:0",
    openedAtMs: now + leftMs - 30 * 24 * hourMs,
    idleUntilMs: now + leftMs,
    expiresAtMs: now + leftMs,
    isPaused: false,
    ...(count === undefined ? {} : { leftBehind: { count, isWhole: true } }),
    commands: [],
  });
  const warned = async (lines: readonly SandboxLine[]): Promise<readonly string[]> => {
    const broker = fakeBroker({ list: async () => lines });
    const { err } = await callCli(["sandbox", "ls"], { door: { findBroker: async () => broker } });
    return err().split("\n").filter(Boolean);
  };
  assert.deepEqual(await warned([line(25 * hourMs, 7), line(hourMs), line(hourMs, 0)]), []);
  const [warning, ...more] = await warned([line(23 * hourMs, 7)]);
  assert.match(warning ?? "", /expires in .* 7 files left behind .*glovebox artifact rescue s-/u);
  assert.deepEqual(more, []);
});
