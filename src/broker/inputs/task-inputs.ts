// Gives a task what it was told to read: copies below its own directory, recorded before its sandbox opens, and gone with it. INVARIANT I-05, I-10
import { lstatSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";
import { GloveboxError, systemErrorCode } from "../../contracts/glovebox-error.ts";
import { type GivenInput, inputBounds } from "../../contracts/inputs.ts";
import { canonicalPath } from "../../kit/canonical-path.ts";
import type { CompiledPolicy } from "../../contracts/policy-port.ts";
import { judgeRead } from "../../policy/policy.ts";
import type { TaskPlan } from "../open-task.ts";
import type { StateLayout } from "../state-layout.ts";
import type { TaskJournal } from "../task-journal.ts";
import { InputCopier, refuseInput } from "./input-copy.ts";

/** What a sandbox shows as its input directory. */
export interface TakenInputs {
  /** Ours: its entries are those of `list`. */
  readonly directory: string;
  readonly list: readonly GivenInput[];
}

const isAtOrBelow = (place: string, root: string): boolean => place === root || place.startsWith(root === "/" ? "/" : `${root}/`);

/** What the policy denies to read is not handed in either; under a floor, neither is what no rule opens. */
export function readableRule(
  { state, runtime }: Pick<StateLayout, "state" | "runtime">,
  { paths, document }: Pick<CompiledPolicy, "paths" | "document">,
): (place: string) => void {
  const own = [state, runtime].map(canonicalPath);
  const isFloored = document["floor"] === true;
  return (place) => {
    if (own.some((directory) => isAtOrBelow(place, directory))) throw refuseInput("input.own-state", place);
    const verdict = judgeRead(paths, place);
    if (verdict === "deny") throw new GloveboxError("POLICY_DENIED", "input.denied", { values: { path: place } });
    if (isFloored && verdict !== "allow") throw new GloveboxError("POLICY_DENIED", "input.floor", { values: { path: place } });
  };
}

/** Without links; each has a name of its own. @throws INPUT_REFUSED */
function placesOf(named: readonly string[]): readonly string[] {
  if (named.length > inputBounds.named) throw refuseInput("input.too-many-named", `${named.length}`, { maximum: inputBounds.named });
  const places = named.map((name) => {
    const place = canonicalPath(name);
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) throw refuseInput("input.missing", name);
    return place;
  });
  const twice = places.find((place, index) => places.some((other, at) => at < index && path.basename(other) === path.basename(place)));
  if (twice !== undefined) throw refuseInput("input.twice", twice, { name: path.basename(twice) });
  if (places.includes("/")) throw refuseInput("input.root", "/");
  return places;
}

async function copyAll(plan: TaskPlan, directory: string): Promise<readonly GivenInput[]> {
  const requireReadable = readableRule(plan.parts.layout, plan.policy);
  // As it was written too: a denial of either name counts.
  for (const name of plan.inputs) requireReadable(path.normalize(name));
  const copier = new InputCopier({
    entries: inputBounds.entries,
    bytes: plan.policy.limits.diskBytes,
    requireReadable,
    signal: plan.signal,
  });
  const list: GivenInput[] = [];
  for (const place of placesOf(plan.inputs)) list.push(await copier.copy(place, directory));
  return list;
}

/** Undefined when it is given nothing. @throws INPUT_REFUSED, POLICY_DENIED; LEDGER_UNWRITABLE when copies cannot be kept */
export async function takeInputs(plan: TaskPlan, journal: TaskJournal): Promise<TakenInputs | undefined> {
  if (plan.inputs.length === 0) return undefined;
  const directory = path.join(journal.directory, "input");
  try {
    await journal.record({ kind: "directory", name: directory });
    await mkdir(directory);
    await chmod(directory, 0o755);
    const list = await copyAll(plan, directory);
    plan.parts.step("inputs copied");
    await plan.record.inputs(list);
    return { directory, list };
  } catch (error) {
    const errno = systemErrorCode(error);
    if (errno === undefined) throw error;
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory, errno }, cause: error });
  }
}
