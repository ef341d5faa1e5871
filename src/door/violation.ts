// What ends a connection: the other side said what cannot come.
import { GloveboxError } from "../contracts/glovebox-error.ts";

export function violation(what: string): GloveboxError {
  return new GloveboxError("BROKER_PROTOCOL", "door.protocol", { values: { what } });
}
