// Finding the first process of a pid namespace while the tree above it changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstOfNamespace, type ProcessSource } from "./host-processes.ts";

const runtime = 10;
const between = 11;
const guard = 12;

test("a process that moves up to an ancestor already looked at is found by the next look", () => {
  let hasBetweenEnded = false;
  const source: ProcessSource = {
    isFirstOfNamespace: (pid) => pid === guard,
    childrenOf: (pid) => {
      if (pid === runtime) return hasBetweenEnded ? [guard] : [between];
      hasBetweenEnded = true; // it ends just before its children are asked for: they are the runtime's now
      return [];
    },
  };
  assert.equal(firstOfNamespace(runtime, source), guard);
});

test("a tree that stays as it is has none, and is looked at twice", () => {
  const asked: number[] = [];
  const source: ProcessSource = {
    isFirstOfNamespace: (pid) => {
      asked.push(pid);
      return false;
    },
    childrenOf: (pid) => (pid === runtime ? [between] : []),
  };
  assert.equal(firstOfNamespace(runtime, source), undefined);
  assert.deepEqual(asked, [runtime, between, runtime, between]);
});

test("a tree that never stays as it is does not hold anybody up for ever", () => {
  let next = between;
  const source: ProcessSource = {
    isFirstOfNamespace: () => false,
    childrenOf: (pid) => {
      if (pid !== runtime) return [];
      next += 1;
      return [next];
    },
  };
  assert.equal(firstOfNamespace(runtime, source), undefined);
});
