// A door whose command writes some output and ends.
import type { Door, RunResult } from "../../contracts/door.ts";
import { fakeResult } from "./fake-door.ts";

/** @param changes to the result */
export function writing(
  chunks: readonly (readonly ["stdout" | "stderr", string | Uint8Array])[],
  changes: Partial<RunResult> = {},
): Pick<Door, "run"> {
  return {
    run: async (_request, io) => {
      io.onStart({ signal: () => {}, resize: () => {} });
      for (const [channel, data] of chunks)
        await io.onOutput({ channel, bytes: typeof data === "string" ? new TextEncoder().encode(data) : data });
      return fakeResult(changes);
    },
  };
}
