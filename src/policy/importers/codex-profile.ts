// A permission profile of Codex with all that it extends -> places with their modes. Which of two places wins is not decided here.
import type { KeyPath } from "../key-path.ts";
import type { CodexNetwork, CodexProfile, PathMode } from "./codex-settings.ts";
import type { ImportDraft } from "./import-draft.ts";

export interface ModedPlace {
  /** `:root`, `:workspace_roots`, an absolute path, `~/x`; below `:workspace_roots` the rest of it. */
  readonly base: string;
  /** `.` for the base itself; may be a pattern. */
  readonly below: string;
  readonly mode: PathMode;
  readonly path: KeyPath;
}

export interface ResolvedProfile {
  /** The profile and what it extends. */
  readonly names: readonly string[];
  readonly places: readonly ModedPlace[];
  /** Where `:workspace_roots` are, besides the project. */
  readonly roots: readonly { readonly text: string; readonly path: KeyPath }[];
  readonly network: CodexNetwork | undefined;
  /** Where `network` stands. */
  readonly networkAt: KeyPath;
  /** Where the profile is named. */
  readonly at: KeyPath;
}

type Profiles = Readonly<Record<string, CodexProfile>>;

const builtIns: Readonly<Record<string, readonly (readonly [base: string, mode: PathMode])[]>> = {
  ":read-only": [[":root", "read"]],
  ":workspace": [
    [":root", "read"],
    [":workspace_roots", "write"],
    [":slash_tmp", "write"],
    [":tmpdir", "write"],
  ],
};

/** The named profile first, then what it extends; after a finding the part that could be followed. */
function chain(
  draft: ImportDraft,
  profiles: Profiles,
  name: string,
  at: KeyPath,
): { readonly names: readonly string[]; readonly builtIn: string | undefined } {
  const names: string[] = [];
  let place = at;
  for (let next: string | undefined = name; next !== undefined;) {
    if (Object.hasOwn(builtIns, next)) return { names, builtIn: next };
    const profile: CodexProfile | undefined = Object.hasOwn(profiles, next) ? profiles[next] : undefined;
    if (profile === undefined || names.includes(next)) {
      draft.refuse(place, profile === undefined ? "import.profile-unknown" : "import.profile-circle", next);
      return { names, builtIn: undefined };
    }
    names.push(next);
    place = ["permissions", next, "extends"];
    next = profile.extends;
  }
  return { names, builtIn: undefined };
}

function placesOf(draft: ImportDraft, name: string, { filesystem = {} }: CodexProfile): readonly ModedPlace[] {
  return Object.entries(filesystem).flatMap(([key, value]): readonly ModedPlace[] => {
    const path: KeyPath = ["permissions", name, "filesystem", key];
    if (typeof value === "number") {
      if (key === "glob_scan_max_depth") draft.note("inert", path, "import.reason.search-depth");
      else draft.refuse(path, "import.place-unknown", key);
      return [];
    }
    const base = key === ":project_roots" ? ":workspace_roots" : key;
    if (typeof value === "string") return [{ base, below: ".", mode: value, path }];
    return Object.entries(value).map(([below, mode]) => ({ base, below, mode, path: [...path, below] }));
  });
}

/** What stands nearer to the named profile replaces the same place further away. */
function nearestPlaces(places: readonly ModedPlace[]): readonly ModedPlace[] {
  const found = new Map<string, ModedPlace>();
  for (const place of places) {
    const identity = `${place.base}\n${place.below}`;
    if (!found.has(identity)) found.set(identity, place);
  }
  return [...found.values()];
}

/** @param at where the profile's name stands */
export function resolveProfile(draft: ImportDraft, profiles: Profiles, name: string, at: KeyPath): ResolvedProfile {
  const { names, builtIn } = chain(draft, profiles, name, at);
  const own = names.flatMap((each) => placesOf(draft, each, profiles[each] ?? {}));
  const given = (builtIn === undefined ? [] : (builtIns[builtIn] ?? [])).map(([base, mode]): ModedPlace => ({
    base,
    below: ".",
    mode,
    path: at,
  }));
  const withNetwork = names.find((each) => profiles[each]?.network !== undefined);
  const roots = names.flatMap((each) =>
    Object.entries(profiles[each]?.workspace_roots ?? {}).flatMap(([text, isOn]) =>
      isOn ? [{ text, path: ["permissions", each, "workspace_roots", text] }] : [],
    ),
  );
  return {
    names,
    places: nearestPlaces([...own, ...given]),
    roots,
    network: withNetwork === undefined ? undefined : profiles[withNetwork]?.network,
    networkAt: ["permissions", withNetwork ?? name, "network"],
    at,
  };
}
