// The rules of the moment: remembered while they hold, made anew when their time is over or the clocks are put back.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressDecider, EgressPolicy } from "../contracts/egress-policy.ts";
import { CurrentRules } from "./current-rules.ts";

const policy: EgressPolicy = { rules: [], unruled: "deny", local: [], sentBytes: 1, connections: 1 };
const target = { host: "a.example", port: 443, protocol: "https" } as const;

/** Rules that change every hundred milliseconds, and say by their id when they were made. */
function clockwork() {
  const clock = { nowMs: 50, asked: 0 };
  const rulesAt = (_policy: EgressPolicy, moment: number | "whenever"): EgressDecider => {
    const decide = () => {
      clock.asked += 1;
      const unbounded = { maxRequestBytes: undefined, maxResponseBytes: undefined, opensAtMs: undefined };
      return { verdict: "allow", ruleId: `${moment}`, reasonCode: "rule", sni: "required", ...unbounded } as const;
    };
    const changesAtMs = moment === "whenever" ? undefined : (Math.floor(moment / 100) + 1) * 100;
    return { changesAtMs, decide, decideAddress: decide, meantBy: (host) => host, mayName: () => true };
  };
  return { clock, rules: new CurrentRules(policy, { rulesAt, wallMs: () => clock.nowMs }) };
}

test("decide() remembers while the rules hold, and asks others when their time is over", () => {
  const { clock, rules } = clockwork();
  const at = (nowMs: number): string | undefined => {
    clock.nowMs = nowMs;
    return rules.decide(target).ruleId;
  };
  assert.deepEqual([at(50), at(99), clock.asked, rules.generation], ["50", "50", 1, 0]);
  assert.deepEqual([at(100), at(150), clock.asked, rules.generation], ["100", "100", 2, 1]);
  assert.deepEqual([at(99), rules.generation], ["99", 2], "put back");
});

test("decidePlace() says of a place once what holds of each protocol, until the rules are others", () => {
  const { clock, rules } = clockwork();
  const place = { host: "a.example", port: 443, protocols: ["https", "tcp"] } as const;
  const ruleNow = (): string | undefined => rules.decidePlace(place).allowed.get("tcp")?.ruleId;
  assert.deepEqual([ruleNow(), ruleNow(), clock.asked], ["50", "50", 2]);
  clock.nowMs = 150;
  assert.deepEqual([ruleNow(), clock.asked], ["150", 4]);
  assert.deepEqual(rules.decidePlace({ ...place, protocols: ["https"] }).allowed.size, 1);
});

test("keepTime() has the rules of now without a question", () => {
  const { clock, rules } = clockwork();
  clock.nowMs = 250;
  assert.deepEqual([rules.keepTime().changesAtMs, rules.generation, clock.asked], [300, 1, 0]);
});
