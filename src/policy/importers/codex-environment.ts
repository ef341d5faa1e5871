// `shell_environment_policy` of Codex -> which variables pass and which are set. What it would inherit of everything does not pass.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import { environmentNameSchema, environmentPatternSchema } from "../../contracts/policy-values.ts";
import { coversName, forbiddenBy, matchesName } from "../environment-rules.ts";
import { builtInValues } from "../layer-values.ts";
import type { CodexEnvironment } from "./codex-settings.ts";
import { entriesOf, type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";

const at = "shell_environment_policy";

const idle: readonly IdleSetting[] = [
  { path: ["ignore_default_excludes"], kind: "refused", reason: "import.reason.environment" },
  { path: ["experimental_use_profile"], kind: "refused", reason: "import.reason.environment" },
];

/** Beginnings that two patterns have in common: then one of them cannot be passed without the other. */
function overlap(one: string, other: string): boolean {
  return coversName(one, other) || coversName(other, one);
}

/** Codex's patterns take `*` and `?` anywhere; only names and beginnings can be told from each other. */
const beginningOf = (pattern: string): string => pattern.replace(/[*?[].*$/su, "*");

function passed(draft: ImportDraft, { include_only: only, exclude = [] }: CodexEnvironment): readonly string[] {
  const excluded = exclude.map((pattern) => beginningOf(pattern));
  const isOpen = (pattern: string): boolean => !excluded.some((other) => overlap(other, pattern) || other === "*");
  if (only === undefined) return builtInValues.pass.filter((pattern) => isOpen(pattern));
  return entriesOf(only, [at, "include_only"]).flatMap((entry: Entry): readonly string[] => {
    const { text, path } = entry;
    const canPass = environmentPatternSchema().safeParse(text).success && forbiddenBy(text) === undefined && isOpen(text);
    if (!canPass) draft.note("refused", path, "import.reason.variable", { value: text });
    return canPass ? [text] : [];
  });
}

function setValues(draft: ImportDraft, { set = {} }: CodexEnvironment): Readonly<Record<string, string>> {
  const entries = Object.entries(set).filter(([name]) => {
    const isName = environmentNameSchema().safeParse(name).success && !matchesName("GLOVEBOX_*", name);
    const isSafe = isName && !["__proto__", "constructor", "prototype"].includes(name);
    if (!isSafe) draft.note("refused", [at, "set", name], "import.reason.variable", { value: name });
    return isSafe;
  });
  return Object.fromEntries(entries);
}

export function codexEnvironment(draft: ImportDraft, settings: CodexEnvironment | undefined): NonNullable<PolicyDocument["environment"]> {
  if (settings === undefined) return {};
  const { inherit = "all" } = settings;
  if (inherit === "all" && settings.include_only === undefined) draft.note("stricter", [at, "inherit"], "import.reason.environment");
  noteIdle(draft, settings, idle, [at]);
  const set = setValues(draft, settings);
  return {
    // Its core (HOME, PATH, USER, ...) is what every sandbox sets itself.
    pass: inherit === "all" ? [...passed(draft, settings)] : [],
    ...(Object.keys(set).length === 0 ? {} : { set }),
  };
}
