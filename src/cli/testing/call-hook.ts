// Calls a hook as its agent does: one document on standard input, and a policy that says the same of every command.
import type { EffectivePolicy } from "../../contracts/door.ts";
import type { PlaceJudgement, PlaceQuestion } from "../../contracts/place-judgement.ts";
import { fakePolicy } from "./fake-door.ts";
import { callCli, type FakeCall, type FakeCallOptions } from "./run-fake-cli.ts";

/** @param stdin text and bytes as they are, everything else as JSON */
export function callHook(words: readonly string[], stdin: unknown, options: FakeCallOptions = {}): Promise<FakeCall> {
  const bytes = typeof stdin === "string" || Buffer.isBuffer(stdin) ? stdin : JSON.stringify(stdin);
  return callCli(["hook", ...words], { ...options, stdin: bytes });
}

export function deciding(verdict: "allow" | "ask" | "deny"): FakeCallOptions {
  const policy = async (): Promise<EffectivePolicy> => {
    return { ...fakePolicy(), decide: () => ({ verdict, ruleId: "r1", reasonCode: "rule", reason: "" }) };
  };
  return { door: { policy } };
}

/** @param asked takes every question about a place */
export function judging(judgement: PlaceJudgement, asked: PlaceQuestion[] = []): FakeCallOptions {
  return { door: { judgePlace: async (_policy: unknown, question: PlaceQuestion) => (asked.push(question), judgement) } };
}
