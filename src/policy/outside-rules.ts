// decide() for a command that asks to run outside any sandbox: what is not opened is denied, and what is opened is asked, each time.
import path from "node:path";
import type { OutsideEntry } from "../contracts/policy-document.ts";
import type { CommandRequest, Decision } from "../contracts/decision.ts";
import { decideCommand } from "./command-rules.ts";
import type { PolicyValues } from "./layer-values.ts";

type Pattern = OutsideEntry["arguments"][number];

/** A whole word, never a part of one: there is no shell to join them again. */
function matchesWord(pattern: Pattern, word: string): boolean {
  if (typeof pattern === "string") return word === pattern;
  if ("oneOf" in pattern) return pattern.oneOf.includes(word);
  return word.length <= pattern.name && /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(word);
}

/** The program by its path or its file name, then each word at its place; never more, never fewer. */
export function matchesEntry(entry: OutsideEntry, argv: readonly string[]): boolean {
  const [program, ...words] = argv;
  if (program !== entry.program && program !== path.posix.basename(entry.program)) return false;
  return words.length === entry.arguments.length && entry.arguments.every((pattern, index) => matchesWord(pattern, words[index] ?? ""));
}

type OutsideValues = Pick<PolicyValues, "commands" | "approval" | "allowUnsandboxed" | "outside">;

function judge({ commands, approval, allowUnsandboxed, outside }: OutsideValues, request: CommandRequest): Decision {
  // A rule that denies a command denies it everywhere; one that allows it speaks of the sandbox only.
  const ruled = decideCommand(commands, approval, request);
  if (ruled.verdict === "deny") return ruled;
  const id = request.outside?.entry;
  const verdict = approval === "never" ? "deny" : "ask";
  if (id === undefined) {
    const reasonCode = allowUnsandboxed && verdict === "ask" ? "default" : "closed";
    return { verdict: allowUnsandboxed ? verdict : "deny", ruleId: undefined, reasonCode, reason: "" };
  }
  const entry = outside.find((candidate) => candidate.id === id);
  if (entry === undefined) return { verdict: "deny", ruleId: undefined, reasonCode: "closed", reason: "" };
  const { reason = "" } = entry;
  if (!matchesEntry(entry, request.argv)) return { verdict: "deny", ruleId: id, reasonCode: "mismatch", reason };
  return { verdict, ruleId: id, reasonCode: verdict === "ask" ? "rule" : "closed", reason };
}

/** Never throws, and never allows: outside a sandbox a person decides. */
export function decideOutside(values: OutsideValues, request: CommandRequest): Decision {
  try {
    return judge(values, request);
  } catch {
    // fails closed because a question that cannot be judged is denied
    return { verdict: "deny", ruleId: undefined, reasonCode: "error", reason: "" };
  }
}
