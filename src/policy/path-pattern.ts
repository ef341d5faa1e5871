// The paths of a policy as text: reads them, gives them one canonical spelling, and resolves them against facts.
// Lexical only: links are the business of `PolicyFacts.canonicalPath` and of the boundary.
import path from "node:path";
import type { PathGlob } from "../contracts/boundary.ts";
import type { PolicyFacts } from "../contracts/policy-port.ts";
import { expandBraces, globSegments, literalSegments } from "../kit/path-glob.ts";

/** Relative to what; `rest` is normalised, has no leading or trailing slash, and may begin with `..` (not under root). */
export interface SymbolicPath {
  readonly base: "root" | "home" | "project";
  readonly rest: string;
}

export type ParsedPattern =
  | { readonly kind: "literal"; readonly path: SymbolicPath }
  /** `path.rest` is the pattern, escapes and all. */
  | { readonly kind: "glob"; readonly path: SymbolicPath }
  /** `situation` names what is wrong, below `error.`. */
  | { readonly kind: "invalid"; readonly situation: string };

const special = "*?[]{}\\$";

/** Removes escapes; marks whether an unescaped glob character or variable was there. */
function unescape(text: string): { readonly literal: string; readonly hasGlob: boolean; readonly situation: string | undefined } {
  let literal = "";
  let hasGlob = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") {
      at += 1;
      const next = text.charAt(at);
      if (next === "" || !special.includes(next)) return { literal, hasGlob, situation: "policy.path-escape" };
      literal += next;
      continue;
    }
    if (character === "$" && /^\$[A-Za-z_{(]/u.test(text.slice(at))) return { literal, hasGlob, situation: "policy.path-variable" };
    if ("*?[{".includes(character)) hasGlob = true;
    literal += character;
  }
  return { literal, hasGlob, situation: undefined };
}

/** Why a glob cannot be understood, or undefined. */
function globFault(text: string): string | undefined {
  const alternatives = expandBraces(text);
  if (alternatives === undefined) return "policy.glob-alternatives";
  // Which directory would be meant depends on what the pattern matches.
  if (alternatives.some((alternative) => alternative.split("/").includes(".."))) return "policy.glob-dots";
  const plain = text.replaceAll(/\\./gu, "x");
  if (/\*{3,}/u.test(plain)) return "policy.glob-stars";
  if (plain.split("/").some((segment) => segment.includes("**") && segment !== "**")) return "policy.glob-stars";
  const withoutClasses = plain.replaceAll(/\[[!^]?[^\]/]+\]/gu, "x");
  if (withoutClasses.includes("[")) return "policy.glob-class";
  let rest = withoutClasses;
  for (let shorter = ""; ; rest = shorter) {
    shorter = rest.replaceAll(/\{[^{}]+\}/gu, "x");
    if (shorter === rest) break;
  }
  return /[{}]/u.test(rest) ? "policy.glob-braces" : undefined;
}

function normalRest(rest: string, base: SymbolicPath["base"]): string {
  const rooted = base === "root" ? path.posix.normalize(`/${rest}`) : path.posix.normalize(`./${rest}`);
  const trimmed = rooted.replaceAll(/^\/+|\/+$/gu, "");
  return trimmed === "." ? "" : trimmed;
}

function globPath(text: string): SymbolicPath {
  const base = text.startsWith("/") ? "root" : text.startsWith("~") ? "home" : "project";
  const below = base === "home" ? text.slice(1) : text;
  return { base, rest: below.replaceAll(/\/{2,}/gu, "/").replaceAll(/^\/|^(?:\.\/)+|\/$/gu, "") };
}

/** `~/x`, `$HOME/x`, `/x`, `./x`, `x`; a leading `~name` and every other variable are refused, never taken as a name. */
export function parsePattern(text: string): ParsedPattern {
  const withHome = /^\$HOME(?=\/|$)/u.test(text) ? `~${text.slice("$HOME".length)}` : text;
  const { literal, hasGlob, situation } = unescape(withHome);
  if (situation !== undefined) return { kind: "invalid", situation };
  if (/^~[^/]/u.test(withHome)) return { kind: "invalid", situation: "policy.path-other-home" };
  if (hasGlob) {
    const fault = globFault(withHome);
    return fault === undefined ? { kind: "glob", path: globPath(withHome) } : { kind: "invalid", situation: fault };
  }
  if (withHome.startsWith("/")) return { kind: "literal", path: { base: "root", rest: normalRest(literal, "root") } };
  if (withHome.startsWith("~")) return { kind: "literal", path: { base: "home", rest: normalRest(literal.slice(1), "home") } };
  return { kind: "literal", path: { base: "project", rest: normalRest(literal, "project") } };
}

/** The one canonical spelling: `/x`, `~`, `~/x`, `.`, `./x`, `../x`, with escapes only where they are needed. */
export function showPattern({ base, rest }: SymbolicPath): string {
  const escaped = rest.replaceAll(/[*?[\]{}\\]|\$(?=[A-Za-z_{(])/gu, String.raw`\$&`);
  if (base === "root") return `/${escaped}`;
  if (base === "home") return rest === "" ? "~" : `~/${escaped}`;
  if (rest === "") return ".";
  return rest === ".." || rest.startsWith("../") ? escaped : `./${escaped}`;
}

/** Absolute and normalised; links as they are. */
export function resolvePath({ base, rest }: SymbolicPath, facts: PolicyFacts): string {
  if (base === "root") return `/${rest}`;
  const from = base === "home" ? facts.home : facts.projectDirectory;
  return path.posix.resolve(from, rest);
}

/** The one canonical spelling of a text that was checked before. */
export function spellPattern(text: string): string {
  const parsed = parsePattern(text);
  if (parsed.kind !== "glob") return showPattern(literalPath(text));
  const { base, rest } = parsed.path;
  return `${base === "root" ? "" : base === "home" ? "~" : "."}/${rest}`;
}

/** A checked glob, each of its alternatives, from the place that its literal beginning names and from where that leads. */
export function resolveGlob({ base, rest }: SymbolicPath, facts: PolicyFacts): readonly PathGlob[] {
  return (expandBraces(rest) ?? []).flatMap((alternative) => {
    const segments = globSegments(alternative);
    const first = segments.findIndex(({ kind }) => kind !== "literal");
    const literal = segments.slice(0, first === -1 ? segments.length : first).map(({ text }) => text);
    const below = segments.slice(literal.length);
    const written = resolvePath({ base, rest: literal.join("/") }, facts);
    const pattern = below.map(({ kind, text }) =>
      kind === "any" ? "**" : kind === "glob" ? text : showPattern({ base: "root", rest: text }).slice(1),
    );
    return [...new Set([written, facts.canonicalPath?.(written) ?? written])].map((place) => ({
      text: `${place === "/" ? "" : place}/${pattern.join("/")}`,
      segments: [...literalSegments(place), ...below],
    }));
  });
}

/** For texts that were checked before. @throws TypeError for anything but a literal path */
export function literalPath(text: string): SymbolicPath {
  const parsed = parsePattern(text);
  if (parsed.kind !== "literal") throw new TypeError(`Cannot use "${text}": it is not a literal path`);
  return parsed.path;
}
