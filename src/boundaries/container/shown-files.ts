// Single files of the host that a policy opens by name, such as the certificate of a company's registry: each is shown read-only at its own
// path. Directories are never shown, because what lies in them later nobody has looked at. INVARIANT I-02, I-05
import { lstatSync } from "node:fs";
import type { SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { isAtOrBelow, ownPlaces } from "./container-paths.ts";
import type { RootTemplate } from "./host-template.ts";

export interface ShownFile {
  /** Absolute, canonical, the same inside. */
  readonly path: string;
  /** As the launcher has it: what is mounted must be what was looked at. */
  readonly identity: string;
}

/** Of a regular file with one name; undefined for everything else. */
export function identityOfFile(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() && found.nlink === 1n ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined; // not there, or not ours to see: the caller refuses
  }
}

/** Of anything that a mount can show. */
export function identityOfPlace(path: string): string | undefined {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // as above
  }
}

/** Where the container has a file, or a tree, of its own. The rest of /etc is free. */
const ownFiles = ["passwd", "group", "hosts", "nsswitch.conf", "resolv.conf"].map((name) => `/etc/${name}`);
const closedPlaces = [...ownPlaces.filter((place) => place !== "/etc"), ...ownFiles, "/etc/shadow", "/etc/gshadow"];

/** @throws PATH_RULE_UNENFORCEABLE naming the entry of allowRead */
export function shownFilesOf(
  { projectDirectory, paths }: SandboxSpec,
  { binds }: RootTemplate,
  identityOf: (path: string) => string | undefined,
): readonly ShownFile[] {
  const isOpened = (path: string): boolean =>
    (paths.openedWithin ?? []).every((bound) => bound.some((place) => isAtOrBelow(path, place))) && !paths.denyRead.includes(path);
  const isThere = (path: string): boolean => [projectDirectory, ...binds].some((place) => isAtOrBelow(path, place));
  return paths.allowRead
    .filter((path) => !isThere(path))
    .map((path) => {
      const identity = identityOf(path);
      if (identity !== undefined && isOpened(path) && !closedPlaces.some((place) => isAtOrBelow(path, place))) return { path, identity };
      throw new GloveboxError("PATH_RULE_UNENFORCEABLE", "container.host-path", { values: { path } });
    });
}
