// The cells of one file in a container of their own, one after the other until one does not end well; then the container is gone.
import type { CellOutput } from "../../contracts/cells.ts";
import type { ReachedBroker } from "../../contracts/reached-broker.ts";
import type { SandboxEnd, SandboxOpening } from "../../contracts/sandbox-door.ts";
import { type CellEnd, Kernels } from "../../sdk/sdk.ts";
import type { CliContext } from "../command.ts";
import { relaySignals } from "../run/relay-signals.ts";

export interface CellRun {
  readonly opening: SandboxOpening;
  readonly cells: readonly string[];
  readonly limitMs: number;
  /** Ends them when aborted. */
  readonly abort: AbortController;
  readonly onOutput: (output: CellOutput) => void | Promise<void>;
  /** After each cell. @param cell from 1 on */
  readonly onEnd: (end: CellEnd, cell: number) => void | Promise<void>;
}

export interface RanCells {
  readonly task: string;
  /** Of the last one that ran. */
  readonly last: CellEnd | undefined;
  readonly ran: number;
  readonly closed: SandboxEnd;
}

/** @throws like `SandboxDoor.open` and `exec`, and CELL_UNAVAILABLE */
export async function runCells(context: CliContext, broker: ReachedBroker, run: CellRun): Promise<RanCells> {
  const { sandboxes } = broker;
  const { abort, limitMs } = run;
  const signals = relaySignals(context.io.events, () => abort.abort());
  try {
    const { callerEnvironment } = run.opening;
    const access = await sandboxes.open(run.opening, { signal: abort.signal });
    const kernels = new Kernels({
      exec: (command, io) => sandboxes.exec(access, { ...command, callerEnvironment, environment: {} }, io),
      endCommand: (action) => sandboxes.endCommand(access, action),
    });
    let last: CellEnd | undefined;
    let ran = 0;
    for (const code of run.cells) {
      if (abort.signal.aborted || (last !== undefined && last.status !== "ok")) break;
      const io = {
        signal: abort.signal,
        onStart: (control: { signal(name: "SIGINT"): void }) => signals.attach(() => control.signal("SIGINT")),
      };
      last = await kernels.run({ code, context: "main", limitMs, onOutput: run.onOutput }, io);
      ran += 1;
      await run.onEnd(last, ran);
    }
    return { task: access.task, last, ran, closed: await sandboxes.end(access) };
  } finally {
    signals.release();
  }
}
