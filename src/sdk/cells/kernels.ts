// The kernels of one open sandbox and the cells that they run. A cell is a command like any other, which the broker decides, records and ends: its
// bridge speaks with a kernel that an earlier command left running. What it says is untrusted. INVARIANT I-01, I-13
import { cellCodeMax, cellLimitMs, type CellDocument, type CellOutput } from "../../contracts/cells.ts";
import type { RunIo } from "../../contracts/door.ts";
import type { ErrorCode } from "../../contracts/error-table.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { SandboxCommandResult } from "../../contracts/sandbox-door.ts";
import { bridgeLoader, bridgeProgram } from "./bridge-program.ts";
import { BridgeBroken, DocumentReader } from "./read-documents.ts";

/** A kernel may take that long to start. */
const startMs = 120_000;
/** So often may cells of one context reach their limit: the first is interrupted, with the second its kernel ends. */
const strikesMax = 2;
/** Debian's own: it alone has Debian's packages. */
const python = "/usr/bin/python3";

type CellIo = Pick<RunIo, "signal" | "onStart"> & Partial<Pick<RunIo, "ask" | "onAsked">>;

interface BridgeIo extends CellIo, Pick<CellRequest, "onOutput"> {
  readonly interrupt?: AbortSignal | undefined;
}

export interface KernelParts {
  readonly exec: (
    command: { readonly argv: readonly [string, ...string[]]; readonly wallMs: number },
    io: RunIo,
  ) => Promise<SandboxCommandResult>;
  readonly endCommand: (action: string) => Promise<void>;
}

export interface CellRequest {
  readonly code: string;
  readonly context: string;
  readonly limitMs?: number;
  /** Aborted: the cell is interrupted. */
  readonly interrupt?: AbortSignal;
  readonly onOutput: (output: CellOutput) => void | Promise<void>;
}

/** `limit`: it was ended at a limit; `lost`: its kernel or its bridge was gone or spoke nonsense. */
export type CellStatus = "ok" | "error" | "interrupted" | "limit" | "lost";

export interface CellEnd {
  readonly status: CellStatus;
  /** Of `limit` and `lost`. */
  readonly code: ErrorCode | undefined;
  /** Its number in its context, as the kernel says. */
  readonly count: number | undefined;
  /** So much was shown beyond the bounds, and left out. */
  readonly cutCharacters: number;
  /** `ended`: what the context held is gone, and the next cell in it starts anew. */
  readonly kernel: "kept" | "ended";
  readonly result: SandboxCommandResult;
}

interface Heard {
  end: Extract<CellDocument, { kind: "end" }> | undefined;
  first: CellDocument | undefined;
  cutCharacters: number;
  isBroken: boolean;
}

interface Kernel {
  readonly name: string;
  /** The command that left it running. */
  readonly action: string;
  strikes: number;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function statusOf({ outcome, limitHits }: SandboxCommandResult, heard: Heard, isInterrupted: boolean): Pick<CellEnd, "status" | "code"> {
  if (outcome === "timeout") return { status: "limit", code: "LIMIT_WALL_TIME" };
  if (limitHits.length > 0) return { status: "limit", code: "LIMIT_REACHED" };
  if (heard.isBroken || heard.end === undefined || heard.end.status === "lost") return { status: "lost", code: "CELL_LOST" };
  return {
    status: (isInterrupted || outcome === "cancelled") && heard.end.status === "error" ? "interrupted" : heard.end.status,
    code: undefined,
  };
}

function unavailable({ child, outcome }: SandboxCommandResult, said: CellDocument | undefined): GloveboxError {
  if (child?.kind === "not-started") return new GloveboxError("CELL_UNAVAILABLE", "cell.no-python", { values: { program: python } });
  if (said?.kind !== "unavailable") return new GloveboxError("CELL_UNAVAILABLE", "cell.not-started", { values: { detail: outcome } });
  const { reason, detail } = said;
  if (reason === "missing") return new GloveboxError("CELL_UNAVAILABLE", "cell.no-kernel", { values: { detail } });
  return new GloveboxError("CELL_UNAVAILABLE", "cell.not-started", { values: { detail } });
}

/** A context is this object's own: whoever else uses the sandbox has kernels of their own. */
export class Kernels {
  readonly #parts: KernelParts;
  readonly #kernels = new Map<string, Kernel>();
  /** The last cell of each context: they run one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  /** @throws USAGE_INVALID, CELL_UNAVAILABLE, and what a command's start throws */
  run(request: CellRequest, io: CellIo): Promise<CellEnd> {
    return this.#turn(request.context, () => this.#run(request, io));
  }

  /** Ends the kernel of a context; nothing when it has none. */
  end(context: string): Promise<void> {
    return this.#turn(context, () => this.#end(context));
  }

  #turn<Value>(context: string, work: () => Promise<Value>): Promise<Value> {
    const turn = (this.#turns.get(context) ?? Promise.resolve()).then(work);
    this.#turns.set(
      context,
      turn.catch(() => {}), // its caller's to tell
    );
    return turn;
  }

  async #end(context: string): Promise<void> {
    const kernel = this.#kernels.get(context);
    if (kernel === undefined) return;
    this.#kernels.delete(context);
    try {
      await this.#parts.endCommand(kernel.action);
    } catch (error) {
      // A limit of the whole sandbox ended it, and the kernel with it.
      if (!(error instanceof GloveboxError && ["SANDBOX_CLOSED", "SANDBOX_UNKNOWN", "CONTAINER_EXPIRED"].includes(error.code))) throw error;
    }
  }

  async #run(request: CellRequest, io: CellIo): Promise<CellEnd> {
    const { code, context, limitMs = cellLimitMs, interrupt } = request;
    const bytes = new TextEncoder().encode(code).length;
    if (bytes > cellCodeMax || code.includes("\0"))
      throw new GloveboxError("USAGE_INVALID", "cell.code-unusable", { values: { bytes, maximum: cellCodeMax } });
    if (!/^[a-z0-9-]{1,32}$/u.test(context)) throw new GloveboxError("USAGE_INVALID", "cell.context-name", { values: { context } });
    const kernel = this.#kernels.get(context) ?? (await this.#start(context, io));
    const words = ["cell", kernel.name, code];
    const { result, heard, isInterrupted } = await this.#bridge(words, limitMs, { ...io, interrupt, onOutput: request.onOutput });
    const { status, code: errorCode } = statusOf(result, heard, isInterrupted);
    if (result.outcome === "timeout") kernel.strikes += 1;
    const isKept = heard.end !== undefined && heard.end.status !== "lost" && !heard.isBroken && kernel.strikes < strikesMax;
    if (!isKept) await this.#end(context);
    const { cutCharacters, end } = heard;
    return { status, code: errorCode, count: end?.count, cutCharacters, kernel: isKept ? "kept" : "ended", result };
  }

  async #start(context: string, io: CellIo): Promise<Kernel> {
    const name = `${context}-${crypto.randomUUID().slice(0, 8)}`;
    const { result, heard } = await this.#bridge(["start", name], startMs, { ...io, onOutput: () => {} });
    if (heard.first?.kind !== "ready") throw unavailable(result, heard.first);
    const kernel = { name, action: result.action, strikes: 0 };
    this.#kernels.set(context, kernel);
    return kernel;
  }

  async #bridge(words: readonly string[], wallMs: number, io: BridgeIo) {
    const reader = new DocumentReader();
    const heard: Heard = { end: undefined, first: undefined, cutCharacters: 0, isBroken: false };
    const own = new AbortController();
    let isInterrupted = false;
    const { interrupt, onOutput, onStart, signal, ...rest } = io;
    const take = async (bytes: Uint8Array): Promise<void> => {
      for (const document of reader.read(bytes)) {
        heard.first ??= document;
        if (heard.end !== undefined) throw new BridgeBroken("more after the end");
        if (document.kind === "end") heard.end = document;
        else if (document.kind === "cut") heard.cutCharacters += document.characters;
        else if (document.kind !== "ready" && document.kind !== "unavailable") await onOutput(document);
      }
    };
    const release = new AbortController();
    const result = await this.#parts.exec(
      { argv: [python, "-I", "-c", bridgeLoader, ...words], wallMs },
      {
        ...rest,
        signal: AbortSignal.any([signal, own.signal]),
        stdin: once(bridgeProgram),
        onStart: (control) => {
          const tell = (name: Parameters<typeof control.signal>[0]): void => {
            isInterrupted = true;
            control.signal(name);
          };
          onStart({ signal: tell, resize: () => {} });
          if (interrupt?.aborted === true) tell("SIGINT");
          else interrupt?.addEventListener("abort", () => tell("SIGINT"), { signal: release.signal });
        },
        onOutput: async ({ channel, bytes }) => {
          if (channel !== "stdout" || heard.isBroken) return;
          try {
            await take(bytes);
          } catch (error) {
            if (!(error instanceof BridgeBroken)) throw error;
            heard.isBroken = true;
            own.abort(); // nothing of what it says is worth waiting for
          }
        },
      },
    );
    release.abort();
    return { result, heard, isInterrupted };
  }
}
