// The key that ends a run which has our terminal: the count, the time, and that no byte is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchEndKey } from "./end-key.ts";

/** Types each piece at its time; gives the number of ends and the bytes that came through. */
async function type(pieces: readonly (readonly [ms: number, text: string])[]): Promise<{ readonly ends: number; readonly text: string }> {
  let now = 0;
  let ends = 0;
  let text = "";
  async function* typed(): AsyncGenerator<Uint8Array> {
    for (const [ms, piece] of pieces) {
      now = ms;
      yield new TextEncoder().encode(piece);
    }
  }
  const watched = watchEndKey(typed(), {
    nowMs: () => now,
    onEnd: () => {
      ends += 1;
    },
  });
  for await (const chunk of watched) text += new TextDecoder().decode(chunk);
  return { ends, text };
}

const key = "\u001D";

test("watchEndKey() ends at the third ctrl-] within a second, in one chunk or in three, and passes every byte on", async () => {
  assert.deepEqual(await type([[0, `a${key}${key}${key}`]]), { ends: 1, text: `a${key}${key}${key}` });
  const slow = [0, 500, 1000].map((ms) => [ms, key] as const);
  assert.deepEqual(await type(slow), { ends: 1, text: key.repeat(3) });
});

test("watchEndKey() does not end for two, for three that take longer, or with another key in between", async () => {
  assert.equal((await type([[0, key + key]])).ends, 0);
  assert.equal((await type([0, 600, 1200].map((ms) => [ms, key] as const))).ends, 0);
  assert.equal((await type([[0, `${key}${key}x${key}`]])).ends, 0);
  assert.equal((await type([[0, "\u0003\u0003\u0003"]])).ends, 0);
});
