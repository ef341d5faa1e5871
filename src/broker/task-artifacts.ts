// What a command hands back: taken when it has ended, before its sandbox does, kept and recorded before its result is released.
import { gatherArtifacts, type GatheredArtifacts } from "../artifacts/artifacts.ts";
import { keptDirectory, keptUntil } from "../changes/changes.ts";
import type { ArtifactSummary, CollectedItem } from "../contracts/artifacts.ts";
import { canHandBack, type Execution, type ExitReport } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { digestSchema } from "../contracts/ids.ts";
import type { NewRecord } from "../contracts/ledger-record.ts";
import { readCollected } from "../guard/guard.ts";
import { sha256Digest } from "../kit/digest.ts";
import type { Action } from "./admit.ts";
import type { OpenTask } from "./open-task.ts";

/** Reading what a command hands back may take that long, whatever else runs in its sandbox; then what came until then is all. */
const collectingMs = 60_000;
/** Enough for a result; the list has all. */
const shownMax = 20;

export interface TakenArtifacts {
  readonly summary: ArtifactSummary;
  readonly body: NewRecord<"execution.artifacts">["body"];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Ends the reader when time is up; afterwards nothing of it is left. */
async function* itemsOf(execution: Execution): AsyncGenerator<CollectedItem, void, undefined> {
  const timer = setTimeout(() => void execution.killTree(), collectingMs);
  try {
    yield* readCollected(execution.output);
  } finally {
    clearTimeout(timer);
    await execution.killTree();
  }
}

/** A sandbox that ended underneath hands nothing back, and its list says that it is not whole. */
async function* collected(open: OpenTask, { identity, policy }: Action): AsyncGenerator<CollectedItem, void, undefined> {
  if (canHandBack(open.sandbox)) yield* itemsOf(await open.sandbox.collect(identity.action, policy.artifacts));
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
 * Undefined when nothing was handed back, and where nothing can be. What the command left running may still write while it is read.
 * @throws LEDGER_UNWRITABLE when it cannot be kept
 */
async function takeArtifacts(action: Action, open: OpenTask): Promise<TakenArtifacts | undefined> {
  const { parts, identity, policy } = open;
  const { layout, ledger, clock } = parts;
  const until = keptUntil(clock.wallMs(), policy.retentionDays);
  const place = { directory: keptDirectory(layout.artifacts, identity.task, until), action: action.identity.action };
  try {
    const seal = await ledger.openSealer(identity.task);
    const found = await gatherArtifacts(collected(open, action), { place, seal, bounds: policy.artifacts });
    return found === undefined ? undefined : await recordOf(open, found, until);
  } catch (error) {
    if (error instanceof GloveboxError) throw error;
    const errno = systemErrorCode(error) ?? "unknown";
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: layout.artifacts, errno }, cause: error });
  }
}

/** After the command's end. @returns undefined when it handed nothing back */
export async function recordArtifacts(action: Action, open: OpenTask, exit: ExitReport): Promise<ArtifactSummary | undefined> {
  if (!canHandBack(open.sandbox) || exit.kind === "not-started") return undefined;
  const taken = await takeArtifacts(action, open);
  action.parts.step("artifacts taken");
  if (taken !== undefined) await action.record.artifacts(taken);
  return taken?.summary;
}
