// Texts as descriptors of files in memory that never had a name: bubblewrap reads them whenever it gets there, and no process waits for
// another. A file on a disk would wait for its journal, and a pipe for the end that its writer gives it.
import { closeSync, constants, openSync, writeSync } from "node:fs";
import type { Descriptors } from "./held-places.ts";

const memoryDirectory = "/dev/shm";
/** O_TMPFILE of open(2), which Node does not name, and O_EXCL: it can never get a name. */
const withoutName = 0o20000000 | constants.O_DIRECTORY | constants.O_EXCL;

function openText(text: string, numbers: number[]): void {
  const descriptor = openSync(memoryDirectory, withoutName | constants.O_RDWR, 0o600);
  numbers.push(descriptor);
  // By position: whoever reads begins at the start.
  const bytes = Buffer.from(text);
  if (writeSync(descriptor, bytes, 0, bytes.length, 0) !== bytes.length) throw new Error("the memory for shared files is full");
}

/** Undefined where the machine has no such memory, or no more of it: then pipes do. */
export function openTexts(texts: readonly string[]): Descriptors | undefined {
  const numbers: number[] = [];
  const close = (): void => {
    for (const descriptor of numbers.splice(0)) closeSync(descriptor);
  };
  try {
    for (const text of texts) openText(text, numbers);
    return { numbers, close };
  } catch {
    close();
    return undefined; // not a wall: the texts reach bubblewrap another way
  }
}
