// A name is asked for once while its answer holds, and what failed is asked again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Found, KnownNames } from "./known-names.ts";

interface Asking {
  readonly names: string[];
  readonly known: KnownNames;
  nowMs: number;
}

function asking(answer: (asked: number) => Promise<Found>): Asking {
  const names: string[] = [];
  const clock = { nowMs: 0 };
  const known = new KnownNames(
    (name) => {
      names.push(name);
      return answer(names.length);
    },
    () => clock.nowMs,
  );
  return Object.assign(clock, { names, known });
}

const answered = (ttlSeconds: number) => (asked: number) => Promise.resolve({ addresses: [`93.0.0.${asked}`], ttlSeconds });

test("resolve() asks again when the answer's time is over, and after a minute at the latest", async () => {
  for (const [ttlSeconds, holdsMs] of [
    [30, 30_000],
    [86_400, 60_000],
  ] as const) {
    const at = asking(answered(ttlSeconds));
    assert.deepEqual(await at.known.resolve("a.example"), ["93.0.0.1"]);
    at.nowMs = holdsMs - 1;
    assert.deepEqual(await at.known.resolve("a.example"), ["93.0.0.1"]);
    assert.deepEqual(await at.known.resolve("b.example"), ["93.0.0.2"]);
    at.nowMs = holdsMs;
    assert.deepEqual(await at.known.resolve("a.example"), ["93.0.0.3"]);
  }
});

test("resolve() keeps nothing that its server said not to keep", async () => {
  const at = asking(answered(0));
  await at.known.resolve("a.example");
  assert.deepEqual(await at.known.resolve("a.example"), ["93.0.0.2"]);
});

test("resolve() gives one answer to all who ask before it is there", async () => {
  const { promise, resolve } = Promise.withResolvers<Found>();
  const at = asking(() => promise);
  const both = Promise.all([at.known.resolve("a.example"), at.known.resolve("a.example")]);
  resolve({ addresses: ["93.0.0.1"], ttlSeconds: 0 });
  assert.deepEqual(await both, [["93.0.0.1"], ["93.0.0.1"]]);
  assert.deepEqual(at.names, ["a.example"]);
});

test("resolve() asks again for what failed", async () => {
  const at = asking((asked) => (asked === 1 ? Promise.reject(new Error("no answer")) : answered(30)(asked)));
  await assert.rejects(at.known.resolve("a.example"), /no answer/u);
  assert.deepEqual(await at.known.resolve("a.example"), ["93.0.0.2"]);
});

test("resolve() knows a bounded number of names, the latest", async () => {
  const at = asking(answered(30));
  for (let name = 0; name < 300; name += 1) await at.known.resolve(`n${name}.example`);
  await at.known.resolve("n299.example");
  assert.equal(at.names.length, 300);
  await at.known.resolve("n0.example");
  assert.equal(at.names.length, 301);
});
