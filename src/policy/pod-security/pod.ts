// A pod as the controls see it, whatever object holds its template.
import type { Cursor } from "./spec-cursor.ts";

export const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;

export interface Container extends Cursor {
  readonly list: (typeof containerLists)[number];
}

export interface Pod {
  readonly metadata: Cursor;
  readonly spec: Cursor;
  readonly volumes: readonly Cursor[];
  /** Of all three lists. */
  readonly containers: readonly Container[];
  /** `os.name` says so: what only Linux knows is then not asked for. */
  readonly isWindows: boolean;
}

/** @param template a mapping with `metadata` and `spec` */
export function podAt(template: Cursor): Pod {
  const spec = template.field("spec");
  return {
    metadata: template.field("metadata"),
    spec,
    volumes: spec.field("volumes").items(),
    containers: containerLists.flatMap((list) =>
      spec
        .field(list)
        .items()
        .map((container) => ({ ...container, list })),
    ),
    isWindows: spec.at(["os", "name"]).text() === "windows",
  };
}
