// Files of an open sandbox. Each operation is a command inside it, behind the same walls and in the same record as any other, and never a path
// of the host: what a command planted there (a link, a pipe) leads no further than that command could have gone itself. INVARIANT I-01, I-04
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { type CallOptions, type InputBytes } from "./command-call.ts";
import { type Entry, entryFormat, parseEntries } from "./directory-entries.ts";
import type { Argv, CommandResult, ExecOptions } from "./open-sandbox.ts";
import { type Say, told } from "./public-error.ts";
import { parseTree, type TreeEntry, treeFormat } from "./tree-entries.ts";
import { systemReason } from "./system-reason.ts";

/** Bytes that `read` takes at most when nobody says. */
const readMax = 1024 * 1024;
/** Of the names and kinds of one directory; about 10,000 entries. */
const listMax = 1024 * 1024;

type Cancellable = Pick<CallOptions, "signal">;

export interface ReadOptions extends Cancellable {
  /** Where to begin. Bytes; 0 when absent. */
  readonly offset?: number;
  /** How much to take at most. Bytes; 1 MiB when absent. */
  readonly maxBytes?: number;
}

export interface FilePart {
  readonly untrusted: true;
  readonly bytes: Uint8Array;
  /** As text: what is not UTF-8 is replaced. */
  readonly text: string;
  /** There is more behind it. */
  readonly isTruncated: boolean;
}

export interface Listing {
  /** By name. Names come from inside: untrusted. */
  readonly entries: readonly Entry[];
  /** There are more than fit into 1 MiB. */
  readonly isTruncated: boolean;
}

/** Absolute, or from the project on; never an option of the program that gets it. */
const place = (path: string): string => (path.startsWith("/") ? path : `./${path}`);

const unreadable = (path: string) => (reason: string) =>
  new GloveboxError("FILE_UNAVAILABLE", "library.file-unreadable", { values: { path, reason } });

const unwritable = (path: string) => (reason: string) =>
  new GloveboxError("FILE_UNAVAILABLE", "library.file-unwritable", { values: { path, reason } });

export class SandboxFiles {
  readonly #exec: (argv: Argv, options: ExecOptions) => Promise<CommandResult>;
  readonly #say: Say;

  constructor(exec: (argv: Argv, options: ExecOptions) => Promise<CommandResult>, say: Say) {
    this.#exec = exec;
    this.#say = say;
  }

  /** @param refusal made when it does not end well, of the reason */
  async #perform(argv: Argv, options: ExecOptions, refusal: (reason: string) => GloveboxError): Promise<CommandResult> {
    // What a program says of an error is read, in English.
    const result = await this.#exec(argv, { ...options, env: { LC_ALL: "C" } });
    if (result.outcome === "ok") return result;
    const reason = result.outcome === "failed" ? systemReason(result.stderr.text) : result.outcome;
    return told(this.#say, () => Promise.reject(refusal(reason)));
  }

  /** A part of a file, by default its first MiB. A pipe or device gives what it has at once. @throws PublicError FILE_UNAVAILABLE, and like `exec` */
  async read(path: string, { offset = 0, maxBytes = readMax, signal }: ReadOptions = {}): Promise<FilePart> {
    // One more, to see whether there is more.
    const counts = [`skip=${offset}`, `count=${maxBytes + 1}`, "iflag=skip_bytes,count_bytes,fullblock,nonblock"];
    const argv: Argv = ["dd", `if=${place(path)}`, "bs=64K", "status=none", ...counts];
    const options = { maxOutputBytes: maxBytes + 1, ...(signal === undefined ? {} : { signal }) };
    const { stdout } = await this.#perform(argv, options, unreadable(path));
    const isTruncated = stdout.bytes.length > maxBytes;
    const bytes = stdout.bytes.subarray(0, maxBytes);
    return { untrusted: true, bytes, text: new TextDecoder().decode(bytes, { stream: isTruncated }), isTruncated };
  }

  /**
   * Makes a file or replaces its content, in place: a link is followed, the mode stays. Its directory must exist.
   * @throws PublicError FILE_UNAVAILABLE, and like `exec`: then the file may hold a part
   */
  async write(path: string, content: InputBytes, options: Cancellable & { readonly isAppended?: boolean } = {}): Promise<void> {
    const { isAppended = false, ...others } = options;
    const mode = isAppended ? ["oflag=append,nonblock", "conv=notrunc"] : ["oflag=nonblock"];
    const argv: Argv = ["dd", `of=${place(path)}`, "bs=64K", "iflag=fullblock", "status=none", ...mode];
    await this.#perform(argv, { ...others, stdin: content }, unwritable(path));
  }

  /** What lies in a directory; not what lies below that. @throws PublicError FILE_UNAVAILABLE, and like `exec` */
  async list(path = ".", options: Cancellable = {}): Promise<Listing> {
    const argv: Argv = ["find", `${place(path)}/.`, "-mindepth", "1", "-maxdepth", "1", "-printf", entryFormat];
    const { stdout } = await this.#perform(argv, { ...options, maxOutputBytes: listMax }, unreadable(path));
    return { entries: parseEntries(stdout.bytes), isTruncated: stdout.isTruncated };
  }

  /**
   * A place and all that lies at most `depth` below it, each directory before what is in it; no link is followed. Undefined when there is more than
   * fits into 1 MiB, or a name that is no text. @throws PublicError FILE_UNAVAILABLE, and like `exec`
   */
  async tree(
    path: string,
    { depth = 64, ...options }: Cancellable & { readonly depth?: number } = {},
  ): Promise<readonly TreeEntry[] | undefined> {
    const argv: Argv = ["find", place(path), "-maxdepth", String(depth), "-printf", treeFormat];
    const { stdout } = await this.#perform(argv, { ...options, maxOutputBytes: listMax }, unreadable(path));
    return stdout.isTruncated ? undefined : parseTree(stdout.bytes);
  }

  /** With those above it that are missing; one that exists is left as it is. @throws PublicError FILE_UNAVAILABLE, and like `exec` */
  async makeDirectory(path: string, options: Cancellable = {}): Promise<void> {
    await this.#perform(["mkdir", "-p", "--", place(path)], options, unwritable(path));
  }

  /** A file, a link itself, or a directory with all below. @throws PublicError FILE_UNAVAILABLE when it is not there, and like `exec` */
  async remove(path: string, options: Cancellable = {}): Promise<void> {
    await this.#perform(["rm", "-r", "--interactive=never", "--", place(path)], options, unwritable(path));
  }
}
