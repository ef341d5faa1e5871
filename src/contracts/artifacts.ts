// Files that a task hands back: what lay at the top of the directory that its command was given. Names and bytes are untrusted. INVARIANT I-13
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

const count = () => z.int().min(0);

/** How much of one command is handed back. */
export interface ArtifactBounds {
  readonly count: number;
  readonly bytes: number;
}

const fileKinds = ["file", "directory", "link", "pipe", "socket", "device", "other"] as const;
export type FileKind = (typeof fileKinds)[number];

/** `changed`: its length, while it was read; `unreadable`: its mode keeps its own owner out. */
const contentStates = ["whole", "changed", "unreadable", "tooLarge"] as const;
export type ContentState = (typeof contentStates)[number];

/** What the program says that reads them inside, checked for shape and nothing else. */
export type CollectedItem =
  | { readonly kind: "entry"; readonly name: string; readonly type: FileKind; readonly links: number; readonly bytes: number }
  /** Of the entry before. */
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "content"; readonly bytes: number; readonly state: ContentState }
  /** Comes last. `total`: of all entries, told or not. */
  | { readonly kind: "end"; readonly total: number; readonly isWhole: boolean };

const artifactSchema = madeOnce(() =>
  z.strictObject({
    /** A name of the directory; bytes that are not UTF-8 as in kit/byte-text.ts. */
    name: z.string(),
    bytes: count(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/u),
    /** A guess of the first bytes and the name. */
    mediaType: z.string(),
    /** Where its bytes begin in what is kept. */
    offset: count(),
    /** It changed while it was read, so that what was kept is no moment's content. */
    isChanged: z.literal(true).optional(),
  }),
);
export type Artifact = z.infer<ReturnType<typeof artifactSchema>>;

/** What was not handed back, and why. */
const notHandedBackSchema = madeOnce(() =>
  z.strictObject({
    name: z.string(),
    kind: z.enum(fileKinds),
    bytes: count(),
    why: z.enum(["kind", "unreadable", "tooLarge"]),
  }),
);
export type NotHandedBack = z.infer<ReturnType<typeof notHandedBackSchema>>;

export const artifactListSchema = madeOnce(() =>
  z.strictObject({
    format: z.literal(1),
    artifacts: z.array(artifactSchema()),
    others: z.array(notHandedBackSchema()),
    /** Entries beyond the bounds of the list. */
    missed: count(),
    /** False: the directory was gone or too large to be looked at whole, or reading it broke off. */
    isWhole: z.boolean(),
  }),
);
export type ArtifactList = z.infer<ReturnType<typeof artifactListSchema>>;

/** What the result of a run says of them. */
export const artifactSummarySchema = madeOnce(() =>
  z.strictObject({
    count: count(),
    bytes: count(),
    /** Not handed back: directories, links, what was too large or one too many. */
    others: count(),
    isWhole: z.boolean(),
    /** The first, at most 20. */
    first: z.array(artifactSchema().pick({ name: true, bytes: true, sha256: true, mediaType: true })),
    /** ISO date. */
    keptUntil: z.string(),
  }),
);
export type ArtifactSummary = z.infer<ReturnType<typeof artifactSummarySchema>>;

/** Files that a command wrote elsewhere than where it hands them back: they end with its sandbox. */
export const leftBehindSchema = madeOnce(() =>
  z.strictObject({
    /** Files, links, pipes and the like; no directories. */
    count: count(),
    /** False: there may be more, also where it is none; only a part of what lies there was looked at. */
    isWhole: z.boolean(),
    /** The first, at most 20. `path`: absolute, inside; untrusted. */
    first: z.array(z.strictObject({ path: z.string(), kind: z.enum(fileKinds), bytes: count() })),
  }),
);
export type LeftBehind = z.infer<ReturnType<typeof leftBehindSchema>>;

/** What lies in an open sandbox of what its commands wrote so, as the last of them that ended found it. */
export const leftInSandboxSchema = madeOnce(() => z.strictObject({ count: count(), isWhole: z.boolean() }));
export type LeftInSandbox = z.infer<ReturnType<typeof leftInSandboxSchema>>;

/** What one command handed back. */
export interface CommandArtifacts extends ArtifactList {
  readonly action: string;
  readonly keptUntil: string;
}

export interface ArtifactSelection {
  readonly task: string;
  /** Of that command alone. */
  readonly action?: string | undefined;
  /** Its name, or `sha256:` and its digest in hex. */
  readonly name: string;
}

/** `altered`: its bytes are not those that were recorded, or are not there although the rest is. */
export type ArtifactCheck =
  | { readonly action: string; readonly name: string; readonly state: "good" | "altered" }
  /** Of all that the command handed back. `gone`: expired or removed. */
  | { readonly action: string; readonly name?: undefined; readonly state: "altered" | "gone" };

export interface ArtifactDoor {
  /** @throws TASK_UNKNOWN */
  list(task: string): Promise<readonly CommandArtifacts[]>;
  /**
   * Its bytes, part by part; each part is what was recorded.
   * @throws ARTIFACT_UNKNOWN, ARTIFACT_EXPIRED, ARTIFACT_ALTERED
   */
  open(selection: ArtifactSelection): Promise<{ readonly artifact: Artifact; readonly parts: Iterable<Uint8Array> }>;
  /** @throws TASK_UNKNOWN */
  verify(task: string): Promise<readonly ArtifactCheck[]>;
}
