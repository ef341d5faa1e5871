// Reads a command to its end, or until a text appears, the way every case needs it.
import type { Execution, ExitReport } from "../../contracts/boundary.ts";

export interface Finished {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exit: ExitReport;
}

export async function finish(execution: Execution): Promise<Finished> {
  const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { channel, bytes } of execution.output) parts[channel].push(Uint8Array.from(bytes));
  return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr), exit: await execution.exit };
}

/** Starts reading; resolves when `text` was seen. `done` has the rest. */
export function watch(execution: Execution, text: string): { readonly seen: Promise<void>; readonly done: Promise<Finished> } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const read = async (): Promise<Finished> => {
    const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    let sofar = "";
    for await (const { channel, bytes } of execution.output) {
      parts[channel].push(Uint8Array.from(bytes));
      sofar += Buffer.from(bytes).toString("latin1");
      if (sofar.includes(text)) resolve();
    }
    reject(new Error(`the command ended without "${text}", it said "${sofar.slice(0, 200)}"`));
    return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr), exit: await execution.exit };
  };
  promise.catch(() => {}); // a case may not wait for it
  return { seen: promise, done: read() };
}
