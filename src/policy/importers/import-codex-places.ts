// The places of a Codex profile -> path lists of a policy. Codex: the most specific place wins, and of one place deny > write > read.
import { isWithin } from "../path-rules.ts";
import { parsePattern, resolvePath } from "../path-pattern.ts";
import type { ModedPlace, ResolvedProfile } from "./codex-profile.ts";
import type { Entry, ImportDraft } from "./import-draft.ts";
import { type PathEntries, patternOf } from "./import-paths.ts";

/** What Codex keeps read-only in each workspace root, unless a profile says more of it. */
const protectedNames = [".git", ".codex", ".agents"];

/** Part of our default view, and not of Codex's `:minimal`. The toolchains of a home are too: denying them would need a walk through all of it. */
const beyondMinimal = "/opt";

interface Pattern extends Entry {
  readonly mode: ModedPlace["mode"];
}

/** The patterns that a place stands for; none after a note. */
function patternsOf(draft: ImportDraft, { base, below, mode, path }: ModedPlace, roots: readonly string[]): readonly Pattern[] {
  if (base === ":minimal") return [];
  if (base === ":root") {
    if (mode === "write") draft.note("refused", path, "import.reason.root-system", { value: ":root" });
    else if (mode === "read") draft.note("stricter", path, "import.reason.default-view");
    return [];
  }
  if (base === ":tmpdir" || base === ":slash_tmp") {
    draft.note(mode === "write" || mode === "read" ? "stricter" : "inert", path, "import.reason.own-tree", { value: base });
    return [];
  }
  if (base.startsWith(":") && base !== ":workspace_roots") {
    draft.refuse(path, "import.place-unknown", base);
    return [];
  }
  const bases = base === ":workspace_roots" ? roots : [base];
  return bases.map((root) => ({ text: join(root, below), mode, path }));
}

/** A root is a place as a policy writes it; `below` is relative to it. */
function join(root: string, below: string): string {
  const place = patternOf(root, undefined);
  if (below === ".") return place;
  return `${place.replace(/\/+$/u, "")}/${patternOf(below, undefined).replace(/^\.\//u, "")}`;
}

function absoluteOf(draft: ImportDraft, text: string): string | undefined {
  const parsed = parsePattern(text);
  return parsed.kind === "literal" ? resolvePath(parsed.path, draft.facts) : undefined;
}

/** In a write root reading alone means that writing is denied; what lies deeper and is written again cannot be opened here. */
function readOnlyPlaces(draft: ImportDraft, patterns: readonly Pattern[]): readonly Entry[] {
  const places = patterns.map((pattern) => ({ ...pattern, absolute: absoluteOf(draft, pattern.text) }));
  const written = places.filter(({ mode }) => mode === "write");
  const within = (place: string | undefined, other: string | undefined): boolean =>
    place !== undefined && other !== undefined && place !== other && isWithin(place, other);
  const frozen = places.filter(({ mode, absolute }) => mode === "read" && written.some((root) => within(absolute, root.absolute)));
  for (const { absolute, path, text } of written) {
    const isShut = [...frozen, ...places.filter(({ mode }) => mode === "deny" || mode === "none")].some((place) =>
      within(absolute, place.absolute),
    );
    if (isShut) draft.note("stricter", path, "import.reason.write-below", { value: text });
  }
  return frozen;
}

/** Places that are written as a whole, with what Codex keeps read-only in them. @param roots as a policy writes them */
export function workspacePaths(roots: readonly Entry[]): PathEntries {
  const frozen = roots.flatMap(({ text, path }) => protectedNames.map((name) => ({ text: join(text, name), path })));
  return { allowRead: [], denyRead: [], allowWrite: roots, denyWrite: frozen };
}

function protectedEntries(patterns: readonly Pattern[], rootPatterns: readonly string[]): readonly Entry[] {
  const given = new Set(patterns.map(({ text }) => text));
  return patterns
    .filter(({ text, mode }) => mode === "write" && rootPatterns.includes(text))
    .flatMap(({ text, path }) => protectedNames.map((name) => ({ text: join(text, name), path })))
    .filter(({ text }) => !given.has(text));
}

export function codexPaths(draft: ImportDraft, profile: ResolvedProfile): PathEntries {
  const roots = [".", ...profile.roots.map(({ text }) => text)];
  const patterns = profile.places.flatMap((place) => patternsOf(draft, place, roots));
  const ofMode = (...modes: readonly string[]): readonly Entry[] => patterns.filter(({ mode }) => modes.includes(mode));
  const isWhole = profile.places.some(({ base, mode }) => base === ":root" && (mode === "read" || mode === "write"));
  const hidden = isWhole ? [] : [{ text: beyondMinimal, path: profile.at }];
  if (!isWhole) draft.note("refused", profile.at, "import.reason.minimal");
  return {
    allowRead: ofMode("read"),
    denyRead: [...ofMode("deny", "none"), ...hidden],
    allowWrite: ofMode("write"),
    denyWrite: [
      ...readOnlyPlaces(draft, patterns),
      ...protectedEntries(
        patterns,
        roots.map((root) => join(root, ".")),
      ),
    ],
  };
}
