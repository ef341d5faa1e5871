// Refuses a command whose words the ledger could not keep: what cannot be recorded does not start, and it says why. INVARIANT I-01
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { wellFormedByteText } from "../kit/byte-text.ts";

/** Bytes of the arguments as JSON. The rest of a record's 4 MiB is for the policy, the directory and the names of variables. */
const maximumBytes = 3 * 1024 * 1024;

/** @throws USAGE_INVALID */
export function refuseUnrecordable(argv: readonly string[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(argv.map(wellFormedByteText)));
  if (bytes > maximumBytes)
    throw new GloveboxError("USAGE_INVALID", "run.arguments-too-large", { values: { bytes, maximum: maximumBytes } });
}
