// Places by descriptor: a name in an open directory, whatever lies on the way to it by now.
import { encodeByteText } from "./byte-text.ts";

/** O_PATH of open(2), which Node does not name. */
export const O_PATH = 0o10000000;

/** A name in an open directory, for calls that take a path. */
export function below(directory: number, name: string): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory}/`), encodeByteText(name)]);
}
