// What the program inside tells of the files that a command hands back, as encrypted pieces with a list behind them. Whoever tells is believed nothing:
// bounds are held here too, and hashes are made of the bytes that came.
import { createHash, type Hash } from "node:crypto";
import type { Artifact, ArtifactBounds, ArtifactList, CollectedItem, NotHandedBack } from "../contracts/artifacts.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Seal, StoredPieces } from "../contracts/stored-pieces.ts";
import { PieceWriter } from "../kit/sealed-pieces.ts";
import { artifactDirectory, type ArtifactPlace, pieceName } from "./artifact-place.ts";
import { mediaTypeBytes, mediaTypeOf } from "./media-type.ts";

/** Entries of a list that were not handed back. */
const othersMax = 1000;

/** One file whose bytes are on their way. */
interface Open {
  readonly name: string;
  readonly offset: number;
  readonly declared: number;
  readonly hash: Hash;
  start: Buffer;
  bytes: number;
}

type Entry = Extract<CollectedItem, { readonly kind: "entry" }>;
type Content = Extract<CollectedItem, { readonly kind: "content" }>;

const unexpected = (what: string): GloveboxError => new GloveboxError("GUARD_PROTOCOL", "guard.protocol", { values: { what } });

/** Items in an order that no honest program gives are refused. @throws GUARD_PROTOCOL */
class Gathering {
  readonly #writer: PieceWriter;
  readonly #bounds: ArtifactBounds;
  readonly #artifacts: Artifact[] = [];
  readonly #others: NotHandedBack[] = [];
  #open: Open | undefined;
  #end: { readonly total: number; readonly isWhole: boolean } | undefined;

  constructor(writer: PieceWriter, bounds: ArtifactBounds) {
    this.#writer = writer;
    this.#bounds = bounds;
  }

  take(item: CollectedItem): void {
    if (this.#end !== undefined) throw unexpected("collected-after-end");
    if (item.kind === "entry") this.#begin(item);
    else if (item.kind === "bytes") this.#append(item.bytes);
    else if (item.kind === "content") this.#finish(item);
    else this.#end = { total: item.total, isWhole: item.isWhole && this.#open === undefined };
  }

  #begin(entry: Entry): void {
    const { name, type, bytes } = entry;
    if (this.#open !== undefined) throw unexpected("collected-entry");
    if (this.#artifacts.length + this.#others.length >= this.#bounds.count + othersMax) throw unexpected("collected-count");
    if (type === "file") {
      const { offset } = this.#writer;
      this.#open = { name, offset, declared: bytes, hash: createHash("sha256"), start: Buffer.alloc(0), bytes: 0 };
    } else this.#others.push({ name, kind: type, bytes, why: "kind" });
  }

  #append(bytes: Buffer): void {
    const open = this.#open;
    if (open === undefined || this.#writer.offset + bytes.length > this.#bounds.bytes) throw unexpected("collected-bytes");
    open.hash.update(bytes);
    open.bytes += bytes.length;
    if (open.start.length < mediaTypeBytes) open.start = Buffer.concat([open.start, bytes]).subarray(0, mediaTypeBytes);
    this.#writer.append(bytes);
  }

  #finish({ bytes, state }: Content): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || bytes !== open.bytes) throw unexpected("collected-content");
    const { name, offset, declared } = open;
    if (state === "whole" || state === "changed") {
      const changed = state === "changed" ? { isChanged: true as const } : {};
      const sha256 = open.hash.digest("hex");
      this.#artifacts.push({ name, bytes, sha256, mediaType: mediaTypeOf(name, open.start), offset, ...changed });
    } else this.#others.push({ name, kind: "file", bytes: declared, why: state });
  }

  /** What was told whole, however the telling ended. */
  get list(): ArtifactList {
    const told = this.#artifacts.length + this.#others.length;
    const { total = told, isWhole = false } = this.#end ?? {};
    return { format: 1, artifacts: this.#artifacts, others: this.#others, missed: Math.max(0, total - told), isWhole };
  }
}

export interface GatheredArtifacts {
  readonly list: ArtifactList;
  /** The bytes that the record commits to: the list as it is kept, behind the files. */
  readonly stored: Buffer;
  readonly keptBytes: number;
  readonly pieces: StoredPieces;
  readonly place: { readonly offset: number; readonly length: number };
}

/**
 * Undefined when there was nothing at all to tell of.
 * @throws what the file system says when they cannot be kept
 */
export async function gatherArtifacts(
  items: AsyncIterable<CollectedItem>,
  about: { readonly place: ArtifactPlace; readonly seal: Seal; readonly bounds: ArtifactBounds },
): Promise<GatheredArtifacts | undefined> {
  const { place, seal, bounds } = about;
  const writer = new PieceWriter(artifactDirectory(place), (index, bytes) => seal(pieceName(place, index), bytes));
  const gathering = new Gathering(writer, bounds);
  try {
    for await (const item of items) gathering.take(item);
  } catch (error) {
    // What came before it is kept, and the list says that it is not whole.
    if (!(error instanceof GloveboxError)) throw error;
  }
  const { list } = gathering;
  if (list.isWhole && list.artifacts.length + list.others.length + list.missed === 0) return undefined;
  const stored = Buffer.from(JSON.stringify(list));
  const at = { offset: writer.offset, length: stored.length };
  writer.append(stored);
  const pieces = writer.finish();
  return { list, stored, keptBytes: writer.offset, pieces, place: at };
}
