// Claude Code's permission rules, as far as its sandbox follows them: `Read(...)` and `Edit(...)` that deny, hosts of `WebFetch(domain:...)`.
// The others say when a person is asked about a tool: they stay with Claude Code, and each is noted.
import type { Entry, ImportDraft } from "./import-draft.ts";
import { entriesOf } from "./import-draft.ts";
import { patternOf } from "./import-paths.ts";

export interface PermissionRules {
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Where paths of the settings are relative to, both absolute; undefined: the project. */
export interface PathBases {
  /** Of `./x` and `x`. */
  readonly relative: string | undefined;
  /** Of `/x` in a permission rule. */
  readonly settings: string | undefined;
}

interface FollowedRules {
  readonly denyRead: readonly Entry[];
  readonly denyWrite: readonly Entry[];
  readonly allowedHosts: readonly Entry[];
  readonly deniedHosts: readonly Entry[];
}

interface Rule extends Entry {
  readonly tool: string;
  /** What stands in brackets. */
  readonly specifier: string;
}

function rulesOf(texts: readonly string[] | undefined, list: keyof PermissionRules): readonly Rule[] {
  return entriesOf(texts, ["permissions", list]).map((entry) => {
    const { tool = "", specifier = "" } = /^(?<tool>[^(]*)(?:\((?<specifier>.*)\))?$/su.exec(entry.text.trim())?.groups ?? {};
    return { ...entry, tool, specifier };
  });
}

/** gitignore's spelling: `//x` is absolute, `/x` begins where the settings are, a name without a slash is meant at any depth. */
function rulePattern(specifier: string, { relative, settings }: PathBases): string {
  if (specifier.startsWith("//")) return patternOf(specifier.slice(1), undefined);
  if (specifier.startsWith("/")) return patternOf(specifier.slice(1), settings);
  const isName = !specifier.replace(/\/+$/u, "").includes("/") && !/^(?:~|\.{1,2})$/u.test(specifier);
  return patternOf(isName ? `**/${specifier}` : specifier, relative);
}

const domainOf = ({ tool, specifier }: Rule): string | undefined =>
  tool === "WebFetch" && specifier.startsWith("domain:") ? specifier.slice("domain:".length) : undefined;

function hosts(rules: readonly Rule[]): readonly Entry[] {
  return rules.flatMap((rule): readonly Entry[] => {
    const text = domainOf(rule);
    return text === undefined ? [] : [{ text, path: rule.path }];
  });
}

export function followRules(draft: ImportDraft, rules: PermissionRules, bases: PathBases): FollowedRules {
  const allow = rulesOf(rules.allow, "allow");
  const deny = rulesOf(rules.deny, "deny");
  const denied = (tools: readonly string[]): readonly Rule[] =>
    deny.filter(({ tool, specifier }) => tools.includes(tool) && specifier !== "");
  const paths = (found: readonly Rule[]): readonly Entry[] =>
    found.map(({ specifier, path }) => ({ text: rulePattern(specifier, bases), path }));
  const reads = denied(["Read"]);
  const writes = denied(["Edit", "Write"]);
  const followed = new Set<Rule>([...reads, ...writes, ...[...allow, ...deny].filter((rule) => domainOf(rule) !== undefined)]);
  for (const rule of [...allow, ...rulesOf(rules.ask, "ask"), ...deny]) {
    if (!followed.has(rule)) draft.note("inert", rule.path, "import.reason.permission", { value: rule.text });
  }
  return { denyRead: paths(reads), denyWrite: paths(writes), allowedHosts: hosts(allow), deniedHosts: hosts(deny) };
}
