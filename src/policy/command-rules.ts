// decide(): which rules match a command, and which of them wins. It judges the words that were asked for; what a shell, a script or a
// renamed program does inside is held by the walls, not by this.
import path from "node:path";
import type { CommandRule } from "../contracts/policy-document.ts";
import type { ApprovalMode } from "../contracts/policy-port.ts";
import type { CommandRequest, Decision, Verdict } from "../contracts/decision.ts";

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/** Same words, exactly. */
function matchesWords(prefix: readonly string[], argv: readonly string[]): boolean {
  return prefix.length <= argv.length && prefix.every((word, index) => word === argv[index]);
}

/**
 * Could the program asked for be the program of the rule? `git` and any path that ends in `/git` are taken for each other, and two paths
 * are compared as places, so that a spelling does not slip past a deny. Links and copies do slip past: see the head of the file.
 */
function mayBeSameProgram(ruled: string, asked: string, cwd: string): boolean {
  if (ruled === asked) return true;
  if (ruled.includes("/") && asked.includes("/")) return path.posix.resolve(cwd, ruled) === path.posix.resolve(cwd, asked);
  return path.posix.basename(ruled) === path.posix.basename(asked);
}

/** `allow` is matched narrowly (exact words), `ask` and `deny` widely (program names too). */
function matches(rule: CommandRule, request: CommandRequest): boolean {
  const { argvPrefix } = rule.match;
  if (rule.verdict === "allow") return matchesWords(argvPrefix, request.argv);
  const [ruled = "", ...words] = argvPrefix;
  const [asked = "", ...rest] = request.argv;
  return mayBeSameProgram(ruled, asked, request.cwd) && matchesWords(words, rest);
}

/** Stricter first; then the rule that says more; then by id, so that equal documents name equal rules. */
function compareRules(left: CommandRule, right: CommandRule): number {
  const byVerdict = strictness[right.verdict] - strictness[left.verdict];
  const byLength = right.match.argvPrefix.length - left.match.argvPrefix.length;
  return byVerdict || byLength || (left.id < right.id ? -1 : 1);
}

/** A command that no rule decides. */
const undecided: Readonly<Record<ApprovalMode, Verdict>> = {
  "auto-allow": "allow",
  regular: "ask",
  commands: "ask",
  never: "allow",
  listed: "deny",
};

function judge(rules: readonly CommandRule[], approval: ApprovalMode, request: CommandRequest): Decision {
  const [program] = request.argv;
  if (request.kind !== "command" || program === undefined || program === "" || !path.posix.isAbsolute(request.cwd))
    throw new TypeError("not a command");
  if ([...request.argv, request.cwd].some((word) => word.includes("\0"))) throw new TypeError("a word holds NUL");
  const [winner] = rules.filter((rule) => matches(rule, request)).toSorted(compareRules);
  if (winner === undefined) return { verdict: undecided[approval], ruleId: undefined, reasonCode: "default", reason: "" };
  const verdict = winner.verdict === "ask" && approval === "never" ? "deny" : winner.verdict;
  return { verdict, ruleId: winner.id, reasonCode: "rule", reason: winner.reason ?? "" };
}

/**
 * deny > ask > allow > default. The default allows (`approval: auto-allow`: the walls hold whatever runs), asks (`regular`) or denies
 * (`granular: {commands: deny}`); `approval: never` turns an ask into a deny. Never throws: whatever goes wrong denies with reasonCode `error`.
 */
export function decideCommand(rules: readonly CommandRule[], approval: ApprovalMode, request: CommandRequest): Decision {
  try {
    return judge(rules, approval, request);
  } catch {
    // fails closed because a question that cannot be judged is denied
    return { verdict: "deny", ruleId: undefined, reasonCode: "error", reason: "" };
  }
}
