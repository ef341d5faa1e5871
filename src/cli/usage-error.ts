// Usage errors: code 2, nothing was opened or started, and the next step is a line to type.
import { GloveboxError } from "../contracts/glovebox-error.ts";

/** @param situation e.g. `usage.option-unknown` */
export function usageError(situation: string, values: Readonly<Record<string, string | number>> = {}): GloveboxError {
  return new GloveboxError("USAGE_INVALID", situation, { values });
}
