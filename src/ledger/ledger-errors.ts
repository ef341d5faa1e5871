// How system errors become the ledger's refusals.
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";

/** The file that the system named with its refusal. */
const refusedPath = (error: unknown, otherwise: string): string =>
  error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : otherwise;

/** A GloveboxError as it is; anything else becomes LEDGER_UNWRITABLE with the system's word for it. */
export function unwritable(error: unknown, path: string): GloveboxError {
  if (error instanceof GloveboxError) return error;
  const reason = systemErrorCode(error) ?? (error instanceof Error ? error.message : "unknown");
  return new GloveboxError("LEDGER_UNWRITABLE", "ledger.unwritable", { values: { path: refusedPath(error, path), reason }, cause: error });
}

/** A GloveboxError as it is; what the system refuses becomes LEDGER_UNREADABLE, with the file it refused. @param path when it names none */
export function unreadable(error: unknown, path: string): unknown {
  const reason = systemErrorCode(error);
  if (reason === undefined) return error;
  return new GloveboxError("LEDGER_UNREADABLE", "ledger.unreadable", { values: { path: refusedPath(error, path), reason }, cause: error });
}

export function inconsistent(situation: string, values: Readonly<Record<string, string | number>>): GloveboxError {
  return new GloveboxError("LEDGER_INCONSISTENT", situation, { values });
}

export function refusedValue(type: string, reason: string): GloveboxError {
  return new GloveboxError("LEDGER_VALUE_REFUSED", "ledger.value-refused", { values: { type, reason } });
}
