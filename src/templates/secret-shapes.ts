// What shows itself to be a secret wherever it stands: private keys, keys of clouds, tokens. A table, not a proof: what has no shape of its own
// is known only by the file it lies in (secret-files.ts).

/** Below `template.secret.` of the catalogue. */
export type SecretKind = "private-key" | "cloud-key" | "token" | "password";

export interface SecretShape {
  readonly kind: SecretKind;
  /** A text that holds none of these holds no such secret: looked for first, because it is quick. */
  readonly anchors: readonly string[];
  /** Names the secret itself `secret`. Bounded in what it tries at each place. */
  readonly pattern: RegExp;
}

const edge = "(?<![A-Za-z0-9_-])";
const token = (prefix: string, body: string): RegExp => new RegExp(`${edge}(?<secret>${prefix}${body})(?![A-Za-z0-9_])`, "gu");

export const secretShapes: readonly SecretShape[] = [
  {
    kind: "private-key",
    anchors: ["PRIVATE KEY"],
    // With its body: programs that read keys hold the bare line. The line end may be written as an escape, as in JSON.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,16} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\\r)?(?:\\n|\s){1,8}(?:[A-Za-z-]{1,32}: [^\n\\]{0,256}(?:\\n|\s){1,4}){0,8}(?<secret>[A-Za-z0-9+/]{40})/gu,
  },
  { kind: "private-key", anchors: ["AGE-SECRET-KEY-1"], pattern: token("AGE-SECRET-KEY-1", "[A-Z0-9]{58}") },
  { kind: "cloud-key", anchors: ["AKIA", "ASIA"], pattern: token("(?:AKIA|ASIA)", "[0-9A-Z]{16}") },
  {
    kind: "cloud-key",
    anchors: ["ecret", "ECRET"],
    pattern: /aws.{0,20}secret.{0,20}["']?\s{0,4}[=:]\s{0,4}["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/giu,
  },
  { kind: "cloud-key", anchors: ["AIza"], pattern: token("AIza", "[0-9A-Za-z_-]{35}") },
  { kind: "cloud-key", anchors: ["AccountKey="], pattern: /\bAccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/gu },
  { kind: "cloud-key", anchors: ["dop_v1_"], pattern: token("dop_v1_", "[0-9a-f]{64}") },
  { kind: "cloud-key", anchors: ["LTAI"], pattern: token("LTAI", "[0-9A-Za-z]{20}") },
  {
    kind: "token",
    anchors: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: token("gh[pousr]_", "[A-Za-z0-9_]{36,255}"),
  },
  { kind: "token", anchors: ["github_pat_"], pattern: token("github_pat_", "[A-Za-z0-9_]{40,255}") },
  { kind: "token", anchors: ["glpat-"], pattern: token("glpat-", "[A-Za-z0-9_-]{20,255}") },
  { kind: "token", anchors: ["npm_"], pattern: token("npm_", "[A-Za-z0-9]{36}") },
  { kind: "token", anchors: ["pypi-AgE"], pattern: token("pypi-AgE", "[A-Za-z0-9_-]{50,255}") },
  { kind: "token", anchors: ["xox"], pattern: token("xox[abeoprs]-", "[A-Za-z0-9-]{20,255}") },
  { kind: "token", anchors: ["_live_"], pattern: token("[rs]k_live_", "[A-Za-z0-9]{20,255}") },
  { kind: "token", anchors: ["hf_"], pattern: token("hf_", "[A-Za-z]{34}") },
  { kind: "token", anchors: ["sk-ant-", "sk-proj-"], pattern: token("sk-(?:ant|proj)-", "[A-Za-z0-9_-]{32,255}") },
  { kind: "token", anchors: ["T3BlbkFJ"], pattern: token("sk-", "[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}") },
];

/** What documentation writes in the place of one, or a variable that is filled in later. */
export function isPlaceholder(secret: string): boolean {
  const word = secret.replaceAll(/^["']|["']$/gu, "");
  return (
    word === "" ||
    /^(?:\$\{?[\w.:-]{1,64}\}?|<[^>]{0,64}>|\{\{[^}]{0,64}\}\}|%[\w.]{1,64}%)$/u.test(word) ||
    /example|placeholder|change_?me|redacted|your[_-]/iu.test(word) ||
    new Set(word.replace(/^[A-Za-z]{2,12}[_-]/u, "")).size < Math.min(8, word.length)
  );
}

export interface SecretAt {
  readonly kind: SecretKind;
  /** In the text. */
  readonly offset: number;
}

/** Where secrets of well-known shape begin. */
export function* shapesIn(text: string): Generator<SecretAt> {
  for (const { kind, anchors, pattern } of secretShapes) {
    if (!anchors.some((anchor) => text.includes(anchor))) continue;
    for (const match of text.matchAll(pattern)) {
      if (!isPlaceholder(match.groups?.["secret"] ?? "")) yield { kind, offset: match.index };
    }
  }
}
