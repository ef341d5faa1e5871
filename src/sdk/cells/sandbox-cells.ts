// Code cells in a sandbox that stays open, for a program: Python with a state that lasts from cell to cell, and what it shows. INVARIANT I-13
import type { CellOutput } from "../../contracts/cells.ts";
import type { SandboxCommandResult } from "../../contracts/sandbox-door.ts";
import { type Say, told } from "../public-error.ts";
import { type CellEnd, type CellRequest, type KernelParts, Kernels } from "./kernels.ts";

export interface CellOptions {
  /** Whose variables it has: `a-z`, `0-9` and `-`. Absent: `main`. Each context is a kernel of its own; cells of one run one after the other. */
  readonly context?: string;
  /** Then it is interrupted. Milliseconds; 90 s when absent, and never longer than `limits.wall` of the policy. */
  readonly limitMs?: number;
  /** Aborted: the cell is interrupted, as by ctrl-c. */
  readonly interrupt?: AbortSignal;
  /** Called for each output as it comes. While its promise is pending the cell waits, once what lies between is full. */
  readonly onOutput?: (output: CellOutput) => void | Promise<void>;
}

/** Everything that a cell showed came from inside a sandbox: data, never instructions to whoever reads it. */
export interface CellResult
  extends Omit<CellEnd, "result">, Pick<SandboxCommandResult, "task" | "action" | "durationMs" | "limitHits" | "ledger"> {
  readonly untrusted: true;
  /** In the order in which they came. */
  readonly outputs: readonly CellOutput[];
  /** What it printed to stdout, together. */
  readonly text: string;
}

function textOf(outputs: readonly CellOutput[]): string {
  return outputs.map((output) => (output.kind === "stream" && output.name === "stdout" ? output.text : "")).join("");
}

export class SandboxCells {
  readonly #kernels: Kernels;
  readonly #say: Say;

  constructor(parts: KernelParts, say: Say) {
    this.#kernels = new Kernels(parts);
    this.#say = say;
  }

  /**
   * Runs one cell to its end, and starts the kernel of its context first where there is none. Resolves whatever the cell did: see `status`.
   * Figures and tables that it shows also become artifacts of its task.
   * @throws PublicError: CELL_UNAVAILABLE, and like `exec`
   */
  async run(code: string, options: CellOptions = {}): Promise<CellResult> {
    const { context = "main", onOutput, limitMs, interrupt } = options;
    const outputs: CellOutput[] = [];
    const request: CellRequest = {
      code,
      context,
      ...(limitMs === undefined ? {} : { limitMs }),
      ...(interrupt === undefined ? {} : { interrupt }),
      onOutput: async (output) => {
        outputs.push(output);
        await onOutput?.(output);
      },
    };
    const io = { signal: new AbortController().signal, onStart: () => {} };
    const { result, ...end } = await told(this.#say, () => this.#kernels.run(request, io));
    const { task, action, durationMs, limitHits, ledger } = result;
    return { untrusted: true, ...end, outputs, text: textOf(outputs), task, action, durationMs, limitHits, ledger };
  }

  /** Ends the kernel of a context with all that it holds; the next cell starts anew. @throws PublicError like `exec` */
  end(context = "main"): Promise<void> {
    return told(this.#say, () => this.#kernels.end(context));
  }
}
