// When a broker that nobody needs leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Linger } from "./linger.ts";

test("Linger is over when nobody was needed for its time, and not while somebody is", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const linger = new Linger(1000);
  let isOver = false;
  const over = linger.over.then(() => (isOver = true));
  linger.look(false);
  t.mock.timers.tick(999);
  linger.look(true);
  t.mock.timers.tick(5000);
  await Promise.resolve();
  assert.equal(isOver, false);
  linger.look(false);
  t.mock.timers.tick(1000);
  await over;
});

test("Linger that was stopped is never over by itself", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const linger = new Linger(1000);
  linger.stop();
  linger.look(false);
  t.mock.timers.tick(5000);
  assert.equal(await Promise.race([linger.over.then(() => "over"), Promise.resolve("waits")]), "waits");
});
