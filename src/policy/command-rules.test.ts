// Which rule wins, by properties: never a throw, never looser by adding.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { CommandRule } from "../contracts/policy-document.ts";
import type { CommandRequest, Verdict } from "../contracts/decision.ts";
import { decideCommand } from "./command-rules.ts";

const word = fc.constantFrom("git", "push", "/usr/bin/git", "./git", "-f", "", "../x/git", "git/");
const words = fc.array(word, { minLength: 1, maxLength: 3 });
const verdict = fc.constantFrom<Verdict[]>("allow", "ask", "deny");
const rule = fc.record({ id: fc.constantFrom("a", "b", "c"), match: fc.record({ argvPrefix: words }), verdict });
const rules = fc.array(rule, { maxLength: 5 });
const approval = fc.constantFrom("auto-allow" as const, "regular" as const, "never" as const, "listed" as const);
const request = fc.record({
  kind: fc.constant("command" as const),
  argv: fc.array(word, { maxLength: 4 }),
  cwd: fc.constantFrom("/w", "/usr/bin", "relative"),
});
const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

test("decideCommand() never throws, whatever it is asked", () => {
  fc.assert(
    fc.property(rules, approval, fc.anything(), (known, mode, anything) => {
      const asked: unknown = anything;
      // A caller that breaks the types must still get a refusal.
      const decision: unknown = Reflect.apply(decideCommand, undefined, [known, mode, asked]);
      assert.deepEqual(decision, { verdict: "deny", ruleId: undefined, reasonCode: "error", reason: "" });
    }),
  );
});

test("decideCommand() denies when a rule itself is broken", () => {
  const broken: unknown = [{ id: "x", verdict: "deny" }];
  const asked: CommandRequest = { kind: "command", argv: ["a"], cwd: "/" };
  const decision: unknown = Reflect.apply(decideCommand, undefined, [broken, "auto-allow", asked]);
  assert.deepEqual(decision, { verdict: "deny", ruleId: undefined, reasonCode: "error", reason: "" });
});

test("decideCommand() is at least as strict as each rule alone, and adding a rule that is no looser than the default never loosens it", () => {
  fc.assert(
    fc.property(rules, rule, approval, request, (known, added, mode, asked) => {
      const together = decideCommand(known, mode, asked);
      for (const single of known) {
        const alone = decideCommand([single], mode, asked);
        // Under `regular` the default asks, and an allow rule answers for it.
        if (alone.reasonCode === "rule") assert.ok(strictness[alone.verdict] <= strictness[together.verdict]);
      }
      const more = decideCommand([...known, added], mode, asked);
      // A rule answers for the default: it loosens where it says less than that.
      const isStricter = strictness[added.verdict] >= strictness[decideCommand([], mode, asked).verdict];
      if (isStricter) assert.ok(strictness[more.verdict] >= strictness[together.verdict]);
    }),
  );
});

test("decideCommand() asks under `regular` about whatever no rule decides, and is no looser than `auto-allow` anywhere", () => {
  let defaults = 0;
  fc.assert(
    fc.property(rules, request, (known, asked) => {
      const decision = decideCommand(known, "regular", asked);
      const free = decideCommand(known, "auto-allow", asked);
      assert.ok(strictness[decision.verdict] >= strictness[free.verdict]);
      if (decision.reasonCode !== "default") return;
      defaults += 1;
      assert.equal(decision.verdict, "ask");
    }),
  );
  assert.ok(defaults > 0);
});

test("decideCommand() denies under `granular: {commands: deny}` whatever no rule decides, and else decides as under `regular`", () => {
  let defaults = 0;
  fc.assert(
    fc.property(rules, request, (known, asked) => {
      const decision = decideCommand(known, "listed", asked);
      if (decision.reasonCode !== "default") return assert.deepEqual(decision, decideCommand(known, "regular", asked));
      defaults += 1;
      assert.equal(decision.verdict, "deny");
    }),
  );
  assert.ok(defaults > 0);
});

test("decideCommand() says under `never` nothing but allow and deny", () => {
  fc.assert(fc.property(rules, request, (known, asked) => decideCommand(known, "never", asked).verdict !== "ask"));
});

test("decideCommand() names the rule that says most among equally strict ones, then the first id", () => {
  const known: readonly CommandRule[] = [
    { id: "b", match: { argvPrefix: ["git"] }, verdict: "deny" },
    { id: "z", match: { argvPrefix: ["git", "push"] }, verdict: "deny", reason: "why" },
    { id: "a", match: { argvPrefix: ["git"] }, verdict: "deny" },
  ];
  const asked = (argv: readonly string[]): CommandRequest => ({ kind: "command", argv, cwd: "/" });
  assert.deepEqual(decideCommand(known, "auto-allow", asked(["git", "push"])), {
    verdict: "deny",
    ruleId: "z",
    reasonCode: "rule",
    reason: "why",
  });
  assert.equal(decideCommand(known, "auto-allow", asked(["git", "pull"])).ruleId, "a");
});
