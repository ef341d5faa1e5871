// Reads back what the commands of a task handed back: the lists from their records, and the bytes as long as they are kept.
import { createHash } from "node:crypto";
import * as z from "zod";
import {
  type Artifact,
  type ArtifactCheck,
  type ArtifactList,
  artifactListSchema,
  type ArtifactSelection,
  type CommandArtifacts,
} from "../contracts/artifacts.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { madeOnce } from "../contracts/made-once.ts";
import { storedPiecesSchema, type Unseal } from "../contracts/stored-pieces.ts";
import { isPresent } from "../kit/is-present.ts";
import { openPieces, type PieceReader } from "../kit/sealed-pieces.ts";
import { artifactDirectory, pieceName } from "./artifact-place.ts";

const detailSchema = madeOnce(() =>
  z.looseObject({
    pieces: storedPiecesSchema(),
    place: z.strictObject({ offset: z.int().min(0), length: z.int().min(0) }),
    until: z.string().regex(/^\d{4}-\d\d-\d\d$/u),
  }),
);

const partBytes = 1024 * 1024;

export interface KeptArtifacts {
  /** Of the task, by its last day. */
  readonly directoryOf: (until: string) => string;
  readonly unseal: Unseal;
}

/** Of one command. */
interface Stored {
  readonly action: string;
  readonly until: string;
  readonly reader: PieceReader;
  /** Undefined when it is not there any more, or not as it was written. */
  readonly list: ArtifactList | undefined;
  /** Something is there. */
  readonly isThere: boolean;
}

const nothing: ArtifactList = { format: 1, artifacts: [], others: [], missed: 0, isWhole: false };

function storedOf({ action = "", detail }: StoredRecord, kept: KeptArtifacts): readonly Stored[] {
  const parsed = detailSchema().safeParse(detail);
  // The task was erased.
  if (!parsed.success) return [];
  const { pieces, place: at, until } = parsed.data;
  const place = { directory: kept.directoryOf(until), action };
  const reader = openPieces(artifactDirectory(place), pieces, (index, bytes) => kept.unseal(pieceName(place, index), bytes));
  const bytes = reader.read(at.offset, at.length);
  const list = bytes === undefined ? undefined : artifactListSchema().safeParse(JSON.parse(bytes.toString("utf8"))).data;
  return [{ action, until, reader, list, isThere: isPresent(artifactDirectory(place)) }];
}

function* storedArtifacts(records: readonly StoredRecord[], kept: KeptArtifacts): Generator<Stored, void, undefined> {
  for (const record of records) if (record.type === "execution.artifacts") yield* storedOf(record, kept);
}

export function listArtifacts(records: readonly StoredRecord[], kept: KeptArtifacts): readonly CommandArtifacts[] {
  return [...storedArtifacts(records, kept)].map(({ action, until, list }) => ({ action, keptUntil: until, ...(list ?? nothing) }));
}

/** Its bytes are there and are those that were recorded. */
function isGood({ reader }: Stored, { offset, bytes, sha256 }: Artifact): boolean {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes; at += partBytes) {
    const part = reader.read(offset + at, Math.min(partBytes, bytes - at));
    if (part === undefined) return false;
    hash.update(part);
  }
  return hash.digest("hex") === sha256;
}

export function checkArtifacts(records: readonly StoredRecord[], kept: KeptArtifacts): readonly ArtifactCheck[] {
  return [...storedArtifacts(records, kept)].flatMap((stored): readonly ArtifactCheck[] => {
    const { action, list, isThere } = stored;
    if (list === undefined) return [{ action, state: isThere ? "altered" : "gone" }];
    return list.artifacts.map((artifact) => ({ action, name: artifact.name, state: isGood(stored, artifact) ? "good" : "altered" }));
  });
}

function chosen(records: readonly StoredRecord[], kept: KeptArtifacts, selection: ArtifactSelection): readonly [Stored, Artifact] {
  const { task, action, name } = selection;
  const all = [...storedArtifacts(records, kept)].filter((stored) => action === undefined || stored.action === action);
  const isMeant = (artifact: Artifact): boolean => artifact.name === name || `sha256:${artifact.sha256}` === name;
  const found = all.flatMap((stored) => (stored.list ?? nothing).artifacts.filter(isMeant).map((artifact) => [stored, artifact] as const));
  const [only, another] = found;
  const values = { task, name };
  if (another !== undefined) {
    const actions = found.map(([stored]) => stored.action).join(", ");
    throw new GloveboxError("ARTIFACT_UNKNOWN", "artifact.several", { values: { ...values, actions } });
  }
  if (only !== undefined) return only;
  if (all.some(({ list }) => list === undefined)) throw new GloveboxError("ARTIFACT_EXPIRED", "artifact.expired", { values });
  throw new GloveboxError("ARTIFACT_UNKNOWN", "artifact.unknown", { values });
}

function* partsOf({ reader }: Stored, { offset, bytes }: Artifact, values: { task: string; name: string }): Generator<Uint8Array> {
  for (let at = 0; at < bytes; at += partBytes) {
    const part = reader.read(offset + at, Math.min(partBytes, bytes - at));
    if (part === undefined) throw new GloveboxError("ARTIFACT_ALTERED", "artifact.altered", { values });
    yield part;
  }
}

/** @throws ARTIFACT_UNKNOWN, ARTIFACT_EXPIRED; and its parts throw ARTIFACT_ALTERED */
export function openArtifact(
  records: readonly StoredRecord[],
  kept: KeptArtifacts,
  selection: ArtifactSelection,
): { readonly artifact: Artifact; readonly parts: Iterable<Uint8Array> } {
  const [stored, artifact] = chosen(records, kept, selection);
  const { task, name } = selection;
  return { artifact, parts: partsOf(stored, artifact, { task, name }) };
}
