// What commands of an open sandbox left behind, kept beside what they handed back: read inside by the same program, with the same bounds. INVARIANT I-01
import path from "node:path";
import type { CollectedItem } from "../contracts/artifacts.ts";
import { canHandBack, type HandingBack } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { makeActionId } from "../contracts/ids.ts";
import type { RescuedFiles } from "../contracts/sandbox-door.ts";
import { ActionRecord } from "./action-record.ts";
import type { OpenTask } from "./open-task.ts";
import { itemsOf, takeArtifacts } from "./task-artifacts.ts";

const isAtOrBelow = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);

/** As the reader takes them: absolute, without dots, within a place that ends with the sandbox. @throws ARTIFACT_UNKNOWN */
export function rescuedPaths(project: string, places: readonly string[], paths: readonly string[]): readonly string[] {
  return paths.map((asked) => {
    const file = path.posix.resolve(project, asked);
    if (asked !== "" && !asked.includes("\0") && places.some((place) => isAtOrBelow(file, place))) return file;
    throw new GloveboxError("ARTIFACT_UNKNOWN", "artifact.rescue-place", { values: { path: asked, places: places.join(", ") } });
  });
}

/** Which of the paths nothing was told of, as `at` marks them. */
async function* noting(items: AsyncIterable<CollectedItem>, missing: Set<string>): AsyncGenerator<CollectedItem, void, undefined> {
  for await (const item of items) {
    if (item.kind === "entry") for (const file of missing) if (isAtOrBelow(item.name, file)) missing.delete(file);
    yield item;
  }
}

function requireHandingBack({ sandbox, identity }: OpenTask): HandingBack {
  if (canHandBack(sandbox)) return sandbox;
  throw new GloveboxError("ARTIFACT_UNKNOWN", "artifact.rescue-process", { values: { sandbox: identity.sandbox } });
}

/** @param paths as they were asked for; none: everything @throws ARTIFACT_UNKNOWN, LEDGER_UNWRITABLE, and what starting a command throws */
export async function rescueFiles(task: OpenTask, paths: readonly string[]): Promise<RescuedFiles> {
  const { parts, policy, identity, projectDirectory } = task;
  const reader = requireHandingBack(task);
  const files = rescuedPaths(projectDirectory, reader.endingPlaces, paths);
  const action = makeActionId(parts.ids);
  const record = new ActionRecord(parts.ledger, { ...identity, action }, policy, true);
  await record.rescued(files.length);
  const missing = new Set(files);
  const taken = await takeArtifacts(action, task, noting(itemsOf(await reader.rescue(files, policy.artifacts)), missing));
  if (taken !== undefined) await record.artifacts(taken, "synced");
  return { task: identity.task, action, ...(taken === undefined ? {} : { artifacts: taken.summary }), missing: [...missing] };
}
