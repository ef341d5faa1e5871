// What the commands of one task handed back, for a program. Names and bytes come from inside: untrusted. Nothing is written anywhere. INVARIANT I-13
import type { Artifact, ArtifactCheck, ArtifactDoor, CommandArtifacts } from "../contracts/artifacts.ts";
import { type Say, told, toldParts } from "./public-error.ts";

/** One file that was handed back. */
export type ArtifactFile = Omit<Artifact, "offset">;

/** What one command handed back. Names are untrusted; bytes of one that are not UTF-8 are lone surrogates, U+DC80 to U+DCFF. */
export interface CommandFiles extends Omit<CommandArtifacts, "artifacts" | "format"> {
  readonly untrusted: true;
  readonly artifacts: readonly ArtifactFile[];
}

export interface ArtifactContent {
  readonly untrusted: true;
  readonly artifact: ArtifactFile;
  /** Its bytes, in pieces of at most 1 MiB, each as it was recorded. Once. @throws PublicError ARTIFACT_ALTERED */
  readonly parts: Iterable<Uint8Array>;
}

function fileOf({ offset: _offset, ...file }: Artifact): ArtifactFile {
  return file;
}

export class TaskArtifacts {
  readonly #door: ArtifactDoor;
  readonly #say: Say;
  /** Its id. */
  readonly task: string;

  constructor(door: ArtifactDoor, task: string, say: Say) {
    this.#door = door;
    this.task = task;
    this.#say = say;
  }

  /** For each command that handed something back, in order: its files, and what was not handed back. @throws PublicError TASK_UNKNOWN */
  async list(): Promise<readonly CommandFiles[]> {
    const commands = await told(this.#say, () => this.#door.list(this.task));
    return commands.map(({ format: _format, ...command }) => ({
      ...command,
      untrusted: true,
      artifacts: command.artifacts.map(fileOf),
    }));
  }

  /**
   * @param name of the file, or `sha256:` and its digest in hex
   * @param options `action`: of that command alone
   * @throws PublicError ARTIFACT_UNKNOWN, ARTIFACT_EXPIRED, TASK_UNKNOWN
   */
  async get(name: string, options: { readonly action?: string } = {}): Promise<ArtifactContent> {
    const { artifact, parts } = await told(this.#say, () => this.#door.open({ task: this.task, name, ...options }));
    return { untrusted: true, artifact: fileOf(artifact), parts: toldParts(this.#say, parts) };
  }

  /** Whether what is kept is what was recorded: one line for each file, or for all of a command. @throws PublicError TASK_UNKNOWN */
  async verify(): Promise<readonly ArtifactCheck[]> {
    return told(this.#say, () => this.#door.verify(this.task));
  }
}
