// Texts as open descriptors for bubblewrap to read. The files have no name any more when this returns.
import { closeSync, openSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface DataDescriptors {
  readonly descriptors: readonly number[];
  close(): void;
}

/** @param directory private to the sandbox. Synchronous: a few kilobytes, and a descriptor must not leak between two turns. */
export function openDataFiles(texts: readonly string[], directory: string): DataDescriptors {
  const descriptors: number[] = [];
  const close = (): void => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  try {
    for (const [index, text] of texts.entries()) {
      const file = path.join(directory, `data-${index}`);
      writeFileSync(file, text, { flag: "wx", mode: 0o600 });
      descriptors.push(openSync(file, "r"));
      unlinkSync(file);
    }
  } catch (error) {
    close();
    throw error;
  }
  return { descriptors, close };
}
