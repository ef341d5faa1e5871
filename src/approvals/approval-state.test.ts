// The life of an approval, by every order of events: it is usable at most once, only when granted in time, only for what was shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type Digest, approvalIdSchema, digestSchema } from "../contracts/ids.ts";
import { type Approval, type Moment, askApproval, expiryOf, redeemApproval, settleApproval } from "./approval-state.ts";

const shown = digestSchema.parse(`sha256:${"a".repeat(64)}`);
const other = digestSchema.parse(`sha256:${"b".repeat(64)}`);
const start: Moment = { wallMs: 1_000_000, monotonicNs: 5_000_000_000n, bootId: "boot" };
const asked = askApproval({ id: approvalIdSchema.parse("q-000000000001-000000000001"), subject: shown, asked: start, lifetimeMs: 1000 });
const later = (ms: number, changes: Partial<Moment> = {}): Moment => ({
  wallMs: start.wallMs + ms,
  monotonicNs: start.monotonicNs + BigInt(ms) * 1_000_000n,
  bootId: "boot",
  ...changes,
});

type Event =
  | { readonly kind: "settle"; readonly answer: "granted" | "refused" | "withdrawn"; readonly ms: number }
  | { readonly kind: "redeem"; readonly subject: Digest; readonly ms: number };
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant("settle" as const),
    answer: fc.constantFrom("granted" as const, "refused" as const, "withdrawn" as const),
    ms: fc.integer({ min: 0, max: 1500 }),
  }),
  fc.record({ kind: fc.constant("redeem" as const), subject: fc.constantFrom(shown, other), ms: fc.integer({ min: 0, max: 1500 }) }),
);

test("an approval is usable at most once, whatever happens in whatever order", () => {
  let used = 0;
  const property = fc.property(fc.array(event, { maxLength: 12 }), (events) => {
    let approval: Approval = asked;
    let usable = 0;
    let firstAnswer: Event | undefined;
    for (const happening of events) {
      if (happening.kind === "settle") {
        firstAnswer ??= happening;
        approval = settleApproval(approval, happening.answer, later(happening.ms));
        continue;
      }
      const redemption = redeemApproval(approval, happening.subject, later(happening.ms));
      approval = redemption.approval;
      if (redemption.verdict !== "usable") continue;
      usable += 1;
      assert.equal(happening.subject, shown);
      assert.ok(happening.ms < 1000);
      assert.ok(firstAnswer?.kind === "settle" && firstAnswer.answer === "granted" && firstAnswer.ms < 1000);
    }
    assert.ok(usable <= 1);
    used += usable;
  });
  fc.assert(property, { numRuns: 2000 });
  assert.ok(used > 50, `${used} were used`);
});

test("redeemApproval() uses a granted approval once and never again", () => {
  const granted = settleApproval(asked, "granted", later(10));
  const first = redeemApproval(granted, shown, later(20));
  assert.equal(first.verdict, "usable");
  assert.equal(redeemApproval(first.approval, shown, later(21)).verdict, "not-granted");
});

test("redeemApproval() of something else than was shown ends the approval", () => {
  const changed = redeemApproval(settleApproval(asked, "granted", later(1)), other, later(2));
  assert.equal(changed.verdict, "changed");
  assert.equal(redeemApproval(changed.approval, shown, later(3)).verdict, "not-granted");
});

test("expiryOf() believes whichever clock says that the time is over, and no other boot", () => {
  assert.equal(expiryOf(asked, later(999)), false);
  assert.equal(expiryOf(asked, later(1000)), true);
  assert.equal(expiryOf(asked, later(1, { wallMs: start.wallMs + 2000 })), true, "the wall clock jumped ahead");
  assert.equal(expiryOf(asked, later(2000, { wallMs: start.wallMs })), true, "the wall clock was set back");
  assert.equal(expiryOf(asked, later(1, { bootId: "next" })), true);
  assert.equal(expiryOf(asked, later(1, { monotonicNs: 0n })), true, "a monotonic clock never runs backwards within a boot");
});

test("settleApproval() takes the first answer only, and a late one has expired", () => {
  const refused = settleApproval(asked, "refused", later(1));
  assert.equal(settleApproval(refused, "granted", later(2)).state, "refused");
  assert.equal(settleApproval(asked, "granted", later(1000)).state, "expired");
});
