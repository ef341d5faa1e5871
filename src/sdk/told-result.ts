// How one command ended, for a program: what there is to say about it as text of the chosen language, like the lines of a sheet.
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import type { Say } from "./public-error.ts";
import { type ToldLine, toldLines } from "./told-sheet.ts";

export interface ToldResult extends Omit<SandboxCommandResult, "notes"> {
  /** Why it ended, when that was not its own choice. Empty otherwise. */
  readonly notes: readonly ToldLine[];
}

export function toldResult(result: SandboxCommandResult, say: Say): ToldResult {
  return { ...result, notes: toldLines(result.notes, say) };
}
