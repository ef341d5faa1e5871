// Whether files are still those that somebody began with: by what the file system says of them, since reading them would take longer.
import { statSync } from "node:fs";

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : [found.dev, found.ino, found.size, found.mtimeNs].join(" ");
}

/** @returns the first of them that has been replaced, changed, made or removed since; undefined: none */
export function watchFiles(files: readonly string[]): () => string | undefined {
  const stamps = new Map(files.map((file) => [file, stampOf(file)]));
  return () => files.find((file) => stampOf(file) !== stamps.get(file));
}
