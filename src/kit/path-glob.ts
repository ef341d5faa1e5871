// Patterns of paths: `*`, `?`, `[a-z]`, `{a,b}`, `**` for any number of names, `\` before a character that means itself. A leading dot is a
// character like any other. native/masker matches by the same rules; test/vectors/policy/globs.json holds both to them.

export interface GlobSegment {
  /** `literal`: exactly this name; `glob`: a name like this; `any`: any number of names, also none. */
  readonly kind: "literal" | "glob" | "any";
  readonly text: string;
}

/** More alternatives than that are several patterns. */
export const alternativesMax = 64;

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly commas: readonly number[];
}

/** The first outermost braces that are not escaped. */
function firstBraces(text: string): Braces | undefined {
  let start = -1;
  let depth = 0;
  const commas: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "{") {
      if (depth === 0) start = at;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth === 0) return { start, end: at, commas };
    } else if (character === "," && depth === 1) commas.push(at);
  }
  return undefined;
}

/** `a{b,c}` -> `ab`, `ac`; undefined when there are more than `alternativesMax`. */
export function expandBraces(text: string): readonly string[] | undefined {
  const done: string[] = [];
  const left = [text];
  while (left.length > 0) {
    const next = left.pop() ?? "";
    const braces = firstBraces(next);
    if (braces === undefined) done.push(next);
    else {
      const edges = [braces.start, ...braces.commas, braces.end];
      const parts = edges.slice(1).map((edge, index) => next.slice((edges[index] ?? 0) + 1, edge));
      left.push(...parts.map((part) => next.slice(0, braces.start) + part + next.slice(braces.end + 1)).toReversed());
    }
    if (done.length + left.length > alternativesMax) return undefined;
  }
  return done;
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gsu, "$1");

function segmentOf(text: string): GlobSegment {
  if (text === "**") return { kind: "any", text: "" };
  const isGlob = /[*?[]/u.test(text.replaceAll(/\\./gsu, ""));
  return isGlob ? { kind: "glob", text } : { kind: "literal", text: unescaped(text) };
}

/** @param text without braces; empty names and `.` are dropped */
export function globSegments(text: string): readonly GlobSegment[] {
  return text
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map(segmentOf);
}

export function literalSegments(path: string): readonly GlobSegment[] {
  return path
    .split("/")
    .filter((name) => name !== "")
    .map((text) => ({ kind: "literal", text }));
}

interface Matched {
  readonly matches: boolean;
  readonly next: number;
}

function classMatches(pattern: readonly string[], start: number, character: string): Matched {
  let at = start + 1;
  const isNegated = pattern[at] === "!" || pattern[at] === "^";
  if (isNegated) at += 1;
  const member = (): number => {
    if (pattern[at] === "\\") at += 1;
    return pattern[at++]?.codePointAt(0) ?? -1;
  };
  const code = character.codePointAt(0) ?? -1;
  let isFound = false;
  while (at < pattern.length && pattern[at] !== "]") {
    const first = member();
    let last = first;
    if (pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      at += 1;
      last = member();
    }
    isFound ||= code >= first && code <= last;
  }
  return { matches: isFound !== isNegated, next: at + 1 };
}

function oneMatches(pattern: readonly string[], at: number, character: string): Matched {
  const first = pattern[at];
  if (first === "?") return { matches: true, next: at + 1 };
  if (first === "[") return classMatches(pattern, at, character);
  const plain = first === "\\" ? at + 1 : at;
  return { matches: pattern[plain] === character, next: plain + 1 };
}

/** One name against one segment without `**`: after a mismatch the last `*` takes one character more. */
function nameMatches(pattern: readonly string[], name: readonly string[]): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let retry = 0;
  while (inName < name.length) {
    if (pattern[at] === "*") {
      star = ++at;
      retry = inName;
      continue;
    }
    const one = at < pattern.length ? oneMatches(pattern, at, name[inName] ?? "") : { matches: false, next: at };
    if (one.matches) {
      at = one.next;
      inName += 1;
    } else if (star >= 0) {
      at = star;
      inName = ++retry;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

function segmentMatches({ kind, text }: GlobSegment, name: string): boolean {
  return kind === "literal" ? text === name : nameMatches(Array.from(text), Array.from(name));
}

/** A segment that takes any number of names also takes none. */
function closeOver(segments: readonly GlobSegment[], states: ReadonlySet<number>): ReadonlySet<number> {
  const closed = new Set(states);
  for (const [index, { kind }] of segments.entries()) if (kind === "any" && closed.has(index)) closed.add(index + 1);
  return closed;
}

function step(segments: readonly GlobSegment[], states: ReadonlySet<number>, name: string): ReadonlySet<number> {
  const after = new Set<number>();
  for (const index of states) {
    const segment = segments[index];
    if (segment === undefined) continue;
    if (segment.kind === "any") after.add(index);
    else if (segmentMatches(segment, name)) after.add(index + 1);
  }
  return closeOver(segments, after);
}

export interface GlobWalk {
  /** The path's own beginnings, itself included, that the pattern matches. */
  readonly matches: readonly string[];
  /** True when something below the path may match. */
  readonly mayMatchBelow: boolean;
}

/** @param path absolute, normalised */
export function walkGlob(segments: readonly GlobSegment[], path: string): GlobWalk {
  let states = closeOver(segments, new Set([0]));
  let here = "";
  const matches = states.has(segments.length) ? ["/"] : [];
  for (const name of path.split("/").filter((part) => part !== "")) {
    states = step(segments, states, name);
    here += `/${name}`;
    if (states.has(segments.length)) matches.push(here);
  }
  return { matches, mayMatchBelow: [...states].some((state) => state < segments.length) };
}
