// Path lists of another tool -> the lists of a policy. What allows and cannot be opened is left out and noted; what forbids and cannot be
// held as written becomes stricter, or refuses the import.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import { readRootFault, writeRootFault } from "../opened-roots.ts";
import { parsePattern, resolvePath, spellPattern } from "../path-pattern.ts";
import { isWithin } from "../path-rules.ts";
import type { Entry, ImportDraft } from "./import-draft.ts";

/** Their texts are patterns of a policy: see `patternOf`. */
export interface PathEntries {
  readonly allowRead: readonly Entry[];
  readonly denyRead: readonly Entry[];
  readonly allowWrite: readonly Entry[];
  readonly denyWrite: readonly Entry[];
}

type Filesystem = NonNullable<PolicyDocument["filesystem"]>;

/** A literal place as a policy writes it, and where it is. */
interface Place {
  readonly spelled: string;
  readonly absolute: string;
}

/** Every sandbox has its own: what a command writes there ends with it. */
const privatePlaces = new Set(["/tmp", "/var/tmp", "/private/tmp"]);

/** Where a sandbox has its own tree, and the host's is never seen. */
function isOwnTree(absolute: string): boolean {
  return absolute === "/run" || ["/proc", "/dev", "/run/glovebox", "/run/sandbox"].some((own) => isWithin(absolute, own));
}

/** A write root there would hold what an agent or an editor trusts; in a write root these names are protected, the root's own name is not. */
const trustedPlace = /\/\.(?:git|claude|codex|cursor|vscode|idea|husky|gemini|windsurf|zed)(?:\/|$)/iu;

const faultReasons: ReadonlyMap<string, string> = new Map([
  ["policy.write-root-home", "import.reason.root-home"],
  ["policy.read-root-home", "import.reason.root-home"],
  ["policy.write-root-own", "import.reason.root-own"],
  ["policy.read-root-own", "import.reason.root-own"],
  ["policy.write-root-trusted", "import.reason.root-trusted"],
  ["policy.write-root-system", "import.reason.root-system"],
]);

/** A path of the settings -> as a policy writes it. `{`, `}`, `$` and `\` are ordinary characters there. @param base absolute, or the project */
export function patternOf(text: string, base: string | undefined): string {
  const escaped = text.replaceAll(/[{}\\]|\$(?=[A-Za-z_{(])/gu, String.raw`\$&`);
  if (escaped.startsWith("/") || escaped === "~" || escaped.startsWith("~/")) return escaped;
  return base === undefined ? `./${escaped.replace(/^(?:\.\/)+/u, "")}` : `${patternOf(base, undefined)}/${escaped}`;
}

/** `dir/**` names what `dir` names: a rule here holds for all below. */
function withoutTail(text: string): string {
  return text.replace(/(?:\/\*\*)+\/?$/u, "") || "/";
}

/**
 * srt and Claude Code let an allow of the very same path win; here a tie denies. Their other rule, that the deeper one wins, is the same.
 * @param denied to be read
 */
export function withoutTies(draft: ImportDraft, denied: readonly Entry[], allowed: readonly Entry[]): readonly Entry[] {
  const open = new Set(allowed.map(({ text }) => text.replace(/(?<=.)\/+$/u, "")));
  return denied.filter(({ text, path }) => {
    const isTie = open.has(text.replace(/(?<=.)\/+$/u, ""));
    if (isTie) draft.note("inert", path, "import.reason.allow-wins", { value: text });
    return !isTie;
  });
}

/** Undefined after a note. */
function literalPlace(draft: ImportDraft, { text, path }: Entry): Place | undefined {
  const parsed = parsePattern(withoutTail(text));
  if (parsed.kind === "literal") return { spelled: spellPattern(withoutTail(text)), absolute: resolvePath(parsed.path, draft.facts) };
  draft.note("refused", path, parsed.kind === "glob" ? "import.reason.allow-glob" : "import.reason.path-shape", { value: text });
  return undefined;
}

/** After a note, when the place may not be opened. */
function isShut(draft: ImportDraft, { path, text }: Entry, { absolute }: Place, judge: typeof writeRootFault): boolean {
  const { facts } = draft;
  const fault = judge(absolute, facts) ?? judge(facts.canonicalPath?.(absolute) ?? absolute, facts);
  if (fault === undefined) return false;
  draft.note("refused", path, faultReasons.get(fault) ?? "import.reason.root-system", { value: text });
  return true;
}

function readPlace(draft: ImportDraft, entry: Entry): readonly Place[] {
  const place = literalPlace(draft, entry);
  if (place === undefined) return [];
  if (isOwnTree(place.absolute)) {
    draft.note("stricter", entry.path, "import.reason.own-tree", { value: entry.text });
    return [];
  }
  return isShut(draft, entry, place, readRootFault) ? [] : [place];
}

function writePlace(draft: ImportDraft, entry: Entry): readonly Place[] {
  const place = literalPlace(draft, entry);
  if (place === undefined) return [];
  const { path, text } = entry;
  if (privatePlaces.has(place.absolute) || isOwnTree(place.absolute)) {
    draft.note("stricter", path, "import.reason.own-tree", { value: text });
    return [];
  }
  if (trustedPlace.test(place.absolute)) {
    draft.note("refused", path, "import.reason.root-trusted", { value: text });
    return [];
  }
  if (isShut(draft, entry, place, writeRootFault)) return [];
  const kind = draft.facts.placeKind(place.absolute);
  if (kind === "directory") return [place];
  if (kind === "missing") draft.note("inert", path, "import.reason.missing", { value: text });
  else draft.note("refused", path, "import.reason.write-file", { value: text });
  return [];
}

/** What a rule that forbids becomes; its glob hides what it may not write. */
type Denial = readonly [list: "denyRead" | "denyWrite", spelled: string];

function denial(draft: ImportDraft, { text, path }: Entry, list: Denial[0]): readonly Denial[] {
  const trimmed = withoutTail(text);
  const parsed = parsePattern(trimmed);
  if (parsed.kind === "invalid") {
    draft.refuse(path, parsed.situation, text);
    return [];
  }
  const spelled = spellPattern(trimmed);
  if (parsed.kind === "glob") {
    if (list === "denyWrite") draft.note("stricter", path, "import.reason.deny-write-glob", { value: text });
    return [["denyRead", spelled]];
  }
  const absolute = resolvePath(parsed.path, draft.facts);
  if (isOwnTree(absolute)) draft.note("inert", path, "import.reason.own-tree", { value: text });
  else if (absolute === "/") draft.refuse(path, "import.deny-everything", text);
  else return [[list, spelled]];
  return [];
}

/** The written root that a denied directory holds must be readable too, or nothing can work in it. */
function readableRoots(writes: readonly Place[], denied: readonly Place[]): readonly Place[] {
  return writes.filter(({ absolute }) => denied.some((deny) => deny.absolute !== absolute && isWithin(absolute, deny.absolute)));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** @returns complete lists: none is left to a weaker file */
export function importPaths(draft: ImportDraft, entries: PathEntries): Filesystem {
  const { facts } = draft;
  const isWriteless = entries.denyWrite.some(({ text }) => withoutTail(text) === "/");
  const denyWrite = entries.denyWrite.filter(({ text }) => withoutTail(text) !== "/");
  const reads = entries.allowRead.flatMap((entry) => readPlace(draft, entry));
  const writes = isWriteless ? [] : entries.allowWrite.flatMap((entry) => writePlace(draft, entry));
  const denials = [
    ...entries.denyRead.flatMap((entry) => denial(draft, entry, "denyRead")),
    ...denyWrite.flatMap((entry) => denial(draft, entry, "denyWrite")),
  ];
  const inList = (list: string): string[] => distinct(denials.flatMap(([name, spelled]) => (name === list ? [spelled] : [])));
  const hidden = inList("denyRead").flatMap((spelled): readonly Place[] => {
    const parsed = parsePattern(spelled);
    return parsed.kind === "literal" ? [{ spelled, absolute: resolvePath(parsed.path, facts) }] : [];
  });
  return {
    allowRead: distinct([...reads, ...readableRoots(writes, hidden)].map(({ spelled }) => spelled)),
    denyRead: inList("denyRead"),
    allowWrite: distinct(writes.map(({ spelled }) => spelled)),
    denyWrite: inList("denyWrite"),
  };
}
