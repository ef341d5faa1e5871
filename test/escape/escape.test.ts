// The escape battery. Each attack must succeed outside any boundary, fail inside, and fail or succeed with a layer taken away exactly as its row
// declares: so the matrix in the documents is proven. Everything is judged from the host, never by what the attacker says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { attacks } from "./attacks.ts";
import { Battery, isMine, shortConfigurations } from "./harness/prove.ts";

const mine = attacks.filter(isMine);
let battery: Battery;

before(async () => {
  battery = await Battery.open();
});
after(() => battery[Symbol.asyncDispose]());

for (const attack of mine) test(`an attack that ${attack.name}`, () => battery.prove(attack, shortConfigurations(attack)));

test("what an attack left in a write root was looked through for names to put into quarantine", () => {
  assert.ok(battery.gatheredRows > 30, `${battery.gatheredRows} rows changed something`);
});

test("most positive controls succeeded on this kernel", () => {
  assert.ok(battery.provenControls >= mine.length - 5, `${battery.provenControls} of ${mine.length} controls succeeded`);
});
