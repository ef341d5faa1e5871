// What a command hands back, and what it left behind: taken when it has ended, before its sandbox does, and recorded before its result is released.
import { gatherArtifacts, type GatheredArtifacts, gatherLeft, type GatheredLeft, sectionOf } from "../artifacts/artifacts.ts";
import { keptDirectory, keptUntil } from "../changes/changes.ts";
import type { ArtifactSummary, CollectedItem, LeftBehind, LeftInSandbox } from "../contracts/artifacts.ts";
import { canHandBack, type Execution } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { type ActionId, digestSchema } from "../contracts/ids.ts";
import type { NewRecord } from "../contracts/ledger-record.ts";
import { readCollected } from "../guard/guard.ts";
import { sha256Digest } from "../kit/digest.ts";
import type { Action } from "./admit.ts";
import type { OpenTask } from "./open-task.ts";
import type { Watched } from "./run-result.ts";

/** Reading what a command hands back may take that long, whatever else runs in its sandbox; then what came until then is all. */
const collectingMs = 60_000;
/** Enough for a result; the list has all. */
const shownMax = 20;
/** Files that were left behind, in the record. */
const leftMax = 100;
/** The kernel dates changes by a clock that may stand for a tick of its slowest timer. */
const coarseClockMs = 10;

export interface TakenArtifacts {
  readonly summary: ArtifactSummary;
  readonly body: NewRecord<"execution.artifacts">["body"];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What one command leaves to its task. */
export interface HandedBack {
  /** Absent when it handed nothing back. */
  readonly artifacts?: ArtifactSummary;
  /** Absent when there was nothing. */
  readonly leftBehind?: LeftBehind;
  /** Of all commands of its sandbox; absent where none leaves anything behind. */
  readonly inSandbox?: LeftInSandbox;
}

/** Ends the reader when time is up; afterwards nothing of it is left. */
export async function* itemsOf(execution: Execution): AsyncGenerator<CollectedItem, void, undefined> {
  const timer = setTimeout(() => void execution.killTree(), collectingMs);
  try {
    yield* readCollected(execution.output);
  } finally {
    clearTimeout(timer);
    await execution.killTree();
  }
}

/** A sandbox that ended underneath hands nothing back, and its list says that it is not whole. */
async function* collected(
  open: OpenTask,
  { identity, policy }: Action,
  startedAtMs: number,
): AsyncGenerator<CollectedItem, void, undefined> {
  if (!canHandBack(open.sandbox)) return;
  const left = { count: leftMax, sinceMs: startedAtMs - coarseClockMs };
  yield* itemsOf(await open.sandbox.collect(identity.action, policy.artifacts, left));
}

function summaryOf({ list }: GatheredArtifacts, until: string): ArtifactSummary {
  const { artifacts, others, missed, isWhole } = list;
  return {
    count: artifacts.length,
    bytes: artifacts.reduce((sum, { bytes }) => sum + bytes, 0),
    others: others.length + missed,
    isWhole,
    first: artifacts.slice(0, shownMax).map(({ name, bytes, sha256, mediaType }) => ({ name, bytes, sha256, mediaType })),
    keptUntil: until,
  };
}

async function recordOf(open: OpenTask, found: GatheredArtifacts, until: string): Promise<TakenArtifacts> {
  const { parts, identity } = open;
  const { task, sandbox } = identity;
  const { list, stored, pieces, place } = found;
  const summary = summaryOf(found, until);
  const body = {
    sandbox,
    artifacts: summary.count,
    bytes: summary.bytes,
    others: list.others.length,
    missed: list.missed,
    isWhole: list.isWhole,
    keptUntil: until,
    pieces: pieces.length,
    content: digestSchema.parse(sha256Digest(Buffer.from(pieces.map(({ sha256 }) => sha256).join(""), "hex"))),
    list: await parts.ledger.commit(task, stored),
  };
  return { summary, body, detail: { pieces, place, until } };
}

/**
 * Keeps what is told, under the task's key. Undefined when nothing is. What the sandbox runs besides may still write while it is read.
 * @throws LEDGER_UNWRITABLE when it cannot be kept
 */
export async function takeArtifacts(
  action: ActionId,
  open: OpenTask,
  items: AsyncIterable<CollectedItem>,
): Promise<TakenArtifacts | undefined> {
  const { parts, identity, policy } = open;
  const { layout, ledger, clock } = parts;
  const until = keptUntil(clock.wallMs(), policy.retentionDays);
  const place = { directory: keptDirectory(layout.artifacts, identity.task, until), action };
  try {
    const seal = await ledger.openSealer(identity.task);
    const found = await gatherArtifacts(items, { place, seal, bounds: policy.artifacts });
    return found === undefined ? undefined : await recordOf(open, found, until);
  } catch (error) {
    if (error instanceof GloveboxError) throw error;
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: layout.artifacts, errno }, cause: error });
  }
}

function leftBehindOf({ files, count, isWhole }: GatheredLeft): LeftBehind | undefined {
  return count === 0 && isWhole ? undefined : { count, isWhole, first: files.slice(0, shownMax) };
}

/** After the command's end. */
export async function recordArtifacts(action: Action, open: OpenTask, { report, startedAtMs }: Watched): Promise<HandedBack> {
  if (!canHandBack(open.sandbox) || report.exit.kind === "not-started") return {};
  const items = collected(open, action, startedAtMs);
  try {
    const taken = await takeArtifacts(action.identity.action, open, sectionOf(items));
    const left = await gatherLeft(items, leftMax);
    action.parts.step("artifacts taken");
    if (taken !== undefined) await action.record.artifacts(taken);
    const leftBehind = leftBehindOf(left);
    if (leftBehind !== undefined) await action.record.leftBehind(left);
    const { inSandbox } = left;
    return { ...(taken === undefined ? {} : { artifacts: taken.summary }), ...(leftBehind === undefined ? {} : { leftBehind }), inSandbox };
  } finally {
    await items.return();
  }
}
