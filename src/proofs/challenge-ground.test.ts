// What a challenge's script reached: by the canary in its output and by the names that changed, planted ones apart from ordinary ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChallengeGround, differences, judgeReached } from "./challenge-ground.ts";

const ground: ChallengeGround = {
  root: "/g",
  project: "/g/project",
  outside: "/g/outside",
  home: "/g/home",
  secret: { file: "/g/home/.ssh/id", canary: "canary-1" },
  victim: { file: "/g/outside/victim", canary: "canary-2" },
  script: "/g/project/challenge-script",
  [Symbol.asyncDispose]: async () => {},
};

test("differences() names what was made, changed and removed, and nothing else", () => {
  const before = new Map([
    ["/a", "1"],
    ["/b", "1"],
    ["/c", "1"],
  ]);
  const after = new Map([
    ["/a", "1"],
    ["/b", "2"],
    ["/d", "1"],
  ]);
  assert.deepEqual(differences(before, after), ["/b", "/c", "/d"]);
});

test("judgeReached() tells the victim, stray names, planted names and ordinary changes apart", () => {
  const changed = [
    "/g/outside/victim",
    "/g/outside/new",
    "/g/project/.git/hooks/pre-commit",
    "/g/project/deep/.envrc",
    "/g/project/main.c",
  ];
  const reached = judgeReached(ground, changed, "some output");
  assert.deepEqual(reached, {
    secret: false,
    victim: true,
    stray: ["/g/outside/new"],
    planted: ["/g/project/.git/hooks/pre-commit", "/g/project/deep/.envrc"],
    project: ["/g/project/main.c"],
  });
  assert.ok(judgeReached(ground, [], "it says canary-1").secret);
});
