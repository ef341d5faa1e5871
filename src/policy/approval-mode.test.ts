// The modes of `approval`, their spellings and their order.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandRule } from "../contracts/policy-document.ts";
import type { Verdict } from "../contracts/decision.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";
import { approvalMode, narrowedApproval, narrowsApproval, spellApproval } from "./approval-mode.ts";
import { decideCommand } from "./command-rules.ts";

const modes: readonly ApprovalMode[] = ["auto-allow", "regular", "never", "commands", "listed"];

test("approvalMode() reads every spelling of a mode, and spellApproval() writes one that it reads back", () => {
  for (const mode of modes) assert.equal(approvalMode(spellApproval(mode)), mode);
  assert.equal(approvalMode({ granular: { commands: "ask" } }), "commands");
  assert.equal(approvalMode({ granular: { commands: "ask", egress: "ask" } }), "regular");
  assert.equal(approvalMode(undefined), undefined);
  assert.equal(approvalMode("untrusted"), undefined);
});

test("narrowsApproval() is true exactly where no command is decided more freely", () => {
  const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
  const rules: readonly CommandRule[] = (["allow", "ask", "deny"] as const).map((verdict) => ({
    id: verdict,
    match: { argvPrefix: [verdict] },
    verdict,
  }));
  const strict = (mode: ApprovalMode, word: string): number =>
    strictness[decideCommand(rules, mode, { kind: "command", argv: [word], cwd: "/" }).verdict];
  const words = ["allow", "ask", "deny", "undecided"];
  for (const base of modes) {
    for (const mode of modes) {
      const isStricter = words.every((word) => strict(mode, word) >= strict(base, word));
      assert.equal(narrowsApproval(base, mode), isStricter, `${base} -> ${mode}`);
    }
  }
});

test("narrowedApproval() never asks about more connections than before, and about commands as the narrower mode says", () => {
  for (const base of modes) {
    for (const mode of modes) {
      const narrowed = narrowedApproval(base, mode);
      assert.ok(narrowed !== "regular" || base === "regular", `${base} -> ${mode}`);
      assert.ok(narrowsApproval(base, narrowed) && (!narrowsApproval(base, mode) || narrowsApproval(mode, narrowed)), `${base} -> ${mode}`);
    }
  }
});
