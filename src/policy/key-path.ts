// Where a value stands in a document: its path, the dotted spelling shown to people, and the line it was written on.

export type KeyPath = readonly (string | number)[];

/** `filesystem.allowRead[2]`; a name that holds anything but letters, digits, `_`, `$`, `-` is quoted. */
export function dottedKey(path: KeyPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w$-]+$/u.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Dotted key -> 1-based line; the empty key is the document itself. */
export type LineIndex = ReadonlyMap<string, number>;

/** The line of a value, else of the nearest thing around it, else 0. */
export function lineOf(lines: LineIndex, path: KeyPath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const line = lines.get(dottedKey(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 0;
}
