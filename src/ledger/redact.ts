// Takes well-known shapes of secrets out of a record's detail before anything is hashed or stored. Small and table-driven;
// what the caller knows to be secret it must not hand over in the first place.

import { lazily } from "../kit/lazily.ts";

/** Replaces a secret: the same secret of one task gives the same tag. */
export type SecretTag = (secret: string) => string;
export type Redact = (detail: Readonly<Record<string, unknown>>, tag: SecretTag) => Readonly<Record<string, unknown>>;

const secretWord = "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)";
const secretName = new RegExp(secretWord, "iu");
/** `--db-password`, `-token`: the value is the next argument. */
const secretOption = new RegExp(`^--?[\\w-]{0,64}${secretWord}[\\w-]{0,64}$`, "iu");

interface Shape {
  /** Whether a text may hold one at all: most hold none, and an expression costs more to make ready than to ask. */
  readonly mayBeIn: (text: string) => boolean;
  /** Names the part to replace `secret`; what stands before it stays. */
  readonly pattern: () => RegExp;
}

const holding =
  (...parts: readonly string[]) =>
  (text: string): boolean =>
    parts.some((part) => text.includes(part));
const naming = (text: string): boolean => secretName.test(text);

const shapes: readonly Shape[] = [
  // URL userinfo: the password, or a lone token in the user's place
  {
    mayBeIn: holding("@"),
    pattern: () => /(?<before>\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/?#]{0,256}:)(?<secret>[^\s@/?#]{1,512})(?=@)/giu,
  },
  { mayBeIn: holding("@"), pattern: () => /(?<before>\b[a-z][a-z0-9+.-]{0,30}:\/\/)(?<secret>[^\s:@/?#]{16,512})(?=@)/giu },
  // --password=X, --password X, NAME_TOKEN=X within one string
  {
    mayBeIn: naming,
    pattern: lazily(
      () =>
        new RegExp(
          `(?<before>(?<![\\w-])--?[\\w-]{0,64}${secretWord}[\\w-]{0,64}(?:=|[ \\t]+))(?<secret>"[^"\\n]*"|'[^'\\n]*'|[^\\s"']+)`,
          "giu",
        ),
    ),
  },
  {
    mayBeIn: naming,
    pattern: lazily(
      () => new RegExp(`(?<before>(?<!\\w)\\w{0,64}${secretWord}\\w{0,64}=)(?<secret>"[^"\\n]*"|'[^'\\n]*'|[^\\s"'&;]+)`, "giu"),
    ),
  },
  // HTTP credentials
  { mayBeIn: holding("Bearer", "Basic"), pattern: () => /(?<before>\b(?:Bearer|Basic)[ \t]+)(?<secret>[A-Za-z0-9._~+/=-]{8,})/gu },
  // Tokens that show what they are. GitHub's have no fixed length any more.
  {
    mayBeIn: holding("_", "-"),
    pattern: () =>
      /(?<before>)(?<secret>\b(?:gh[opsur]_|github_pat_|glpat-|npm_|xox[abeoprs]-|sk-|rk_live_|sk_live_|hf_|pypi-)[A-Za-z0-9_.-]{16,})/gu,
  },
  { mayBeIn: holding("AKIA", "ASIA"), pattern: () => /(?<before>)(?<secret>\b(?:AKIA|ASIA)[0-9A-Z]{16}\b)/gu },
  { mayBeIn: holding("AIza"), pattern: () => /(?<before>)(?<secret>\bAIza[0-9A-Za-z_-]{35})/gu },
  { mayBeIn: holding("eyJ"), pattern: () => /(?<before>)(?<secret>\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)/gu },
  { mayBeIn: holding("PRIVATE KEY"), pattern: () => /(?<before>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?<secret>[^-]+)/gu },
];
const tagged = /^"?'?\[redacted:/u;

function redactText(text: string, tag: SecretTag): string {
  return shapes.reduce(
    (current, { mayBeIn, pattern }) =>
      mayBeIn(current)
        ? current.replace(pattern(), (match: string, before: string, secret: string) =>
            tagged.test(secret) ? match : `${before}${tag(secret)}`,
          )
        : current,
    text,
  );
}

function redactList(list: readonly unknown[], tag: SecretTag): unknown[] {
  return list.map((item, index) => {
    const option = index === 0 ? undefined : list[index - 1];
    const isValue = typeof option === "string" && secretOption.test(option) && typeof item === "string" && !item.startsWith("-");
    return isValue ? tag(item) : redactValue(item, tag);
  });
}

function redactValue(value: unknown, tag: SecretTag): unknown {
  if (typeof value === "string") return redactText(value, tag);
  if (Array.isArray(value)) return redactList(value, tag);
  if (typeof value === "object" && value !== null) return redactObject(value, tag);
  return value;
}

function redactObject(value: object, tag: SecretTag): Record<string, unknown> {
  const members = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    const secret = typeof inner === "string" && inner !== "" && secretName.test(name);
    return [name, secret ? tag(inner) : redactValue(inner, tag)] as const;
  });
  return Object.fromEntries(members);
}

/** The default: URL userinfo, password-like options and variables, tokens of well-known shape. */
export const redactDetail: Redact = (detail, tag) => redactObject(detail, tag);
