// Damage at every byte of a ledger; the unit lane takes one byte in some. One process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutSigned, flipBytes, tearHeads, tearTails } from "../../src/ledger/testing/damage.ts";

for (const [what, damage] of Object.entries({ tearTails, cutSigned, flipBytes, tearHeads })) {
  test(`opening after damage at every byte: ${what}()`, async () => {
    assert.ok((await damage(1)) > 100);
  });
}
