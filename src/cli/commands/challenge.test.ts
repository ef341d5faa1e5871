// `glovebox challenge`: nothing is run without consent; the words come before the question; the exit code says whether it was contained.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeChallenge } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

const script = "/bin/sh";

test("challenge says what it will do and refuses where nobody can agree", async () => {
  const call = await callCli(["challenge", script], { cwd: "/usr" });
  assert.equal(call.code, 2);
  assert.equal(call.doorOpened, 0);
  assert.match(call.err(), /first runs without Glovebox's walls/u);
});

test("challenge asks at the terminal: yes runs it, anything else does not", async () => {
  const agreed = await callCli(["challenge", script], { cwd: "/usr", answer: () => "yes" });
  assert.equal(agreed.code, 0);
  assert.match(
    agreed.out(),
    /held: changing a file outside the project\n {6}outside: reached; inside: not reached\n {6}held by: bubblewrap/u,
  );
  const refused = await callCli(["challenge", script], { cwd: "/usr", answer: () => "y" });
  assert.equal(refused.code, 121);
  assert.equal(refused.doorOpened, 0);
});

test("challenge exits with 122 when something was reached inside", async () => {
  const targets = fakeChallenge.targets.map((target) => ({ ...target, inside: true, verdict: "reached" as const, heldBy: [] }));
  const report = { ...fakeChallenge, holds: false, targets };
  const call = await callCli(["challenge", "--yes", script], { cwd: "/usr", door: { challenge: async () => report } });
  assert.equal(call.code, 122);
  assert.match(call.out(), /NOT CONTAINED/u);
});

test("challenge names a script that is no file", async () => {
  const call = await callCli(["challenge", "--yes", "/usr"], { cwd: "/usr" });
  assert.equal(call.code, 2);
  assert.match(call.err(), /no regular file/u);
});
