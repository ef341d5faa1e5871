// The Landlock rules of a container: the template read-only, opened files too, its own places whole. A second wall behind the mounts.
import { type GuardRule, rightsFor } from "../../guard/guard.ts";
import type { Workspace } from "./container-paths.ts";
import type { RootTemplate } from "./host-template.ts";
import { guardInside, homeInside, inputInside, outputInside, sharedInside, temporaryInside } from "./inside.ts";
import type { ShownFile } from "./shown-files.ts";

const devices = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"] as const;

/** What a container shows besides its template. */
interface Given {
  readonly workspace: Workspace;
  readonly shown: readonly ShownFile[];
  readonly hasInputs: boolean;
}

export function guardRules({ binds }: RootTemplate, { workspace, shown, hasInputs }: Given): readonly GuardRule[] {
  const rule = (path: string, rights: keyof typeof rightsFor, optional = false): GuardRule => ({
    path,
    rights: rightsFor[rights],
    optional,
  });
  return [
    // Names everywhere, so that `ls /` works.
    rule("/", "list"),
    rule(guardInside, "read"),
    rule("/etc", "read"),
    ...binds.filter((path) => !path.startsWith("/etc/")).map((path) => rule(path, "read")),
    ...shown.map(({ path }) => rule(path, "read")),
    ...(hasInputs ? [rule(inputInside, "read")] : []),
    rule(temporaryInside, "write"),
    rule(homeInside, "write"),
    rule(outputInside, "write"),
    rule(workspace.path, workspace.isWritable ? "write" : "read"),
    rule(sharedInside, "write"),
    rule("/proc", "processFiles"),
    rule("/dev/pts", "terminal"),
    ...devices.map((name) => rule(`/dev/${name}`, "device", true)),
  ];
}
