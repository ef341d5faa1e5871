// Reads the two dialects of ini that package managers write: npm's (`key = value`, no continuation) and Python's (indented continuation).
// It is used to find values and to say where they stand; it executes and substitutes nothing.

export interface IniEntry {
  /** Lower case; empty before the first section. */
  readonly section: string;
  readonly key: string;
  /** Continuation lines joined with newlines, trimmed. */
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

const isComment = (line: string): boolean => /^\s*(?:[#;]|$)/u.test(line);

function unquoted(text: string): string {
  const quote = text.at(0);
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text;
}

function splitEntry(line: string, separator: RegExp): readonly [string, string] {
  const at = line.search(separator);
  return at === -1 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

/** `.npmrc`: keys as written, `key[] = value` without the brackets; sections are ignored as npm does. */
export function npmEntries(text: string): readonly IniEntry[] {
  return text.split(/\r?\n/u).flatMap((line, index): IniEntry[] => {
    if (isComment(line) || /^\s*\[/u.test(line)) return [];
    const [key, value] = splitEntry(line, /[=]/u);
    return [{ section: "", key: unquoted(key).replace(/\[\]$/u, ""), value: unquoted(value), line: index + 1 }];
  });
}

/** `pip.conf`: what Python's RawConfigParser reads; keys in lower case with hyphens, as pip takes them. */
export function pythonEntries(text: string): readonly IniEntry[] {
  const entries: IniEntry[] = [];
  let section = "";
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (isComment(line)) continue;
    const header = /^\s*\[([^\]]*)\]/u.exec(line);
    const last = entries.at(-1);
    if (header !== null) section = (header[1] ?? "").trim().toLowerCase();
    else if (/^\s/u.test(line) && last !== undefined)
      entries[entries.length - 1] = { ...last, value: `${last.value}\n${line.trim()}`.trim() };
    else {
      const [key, value] = splitEntry(line, /[=:]/u);
      entries.push({ section, key: key.toLowerCase().replaceAll("_", "-").replace(/^--/u, ""), value, line: index + 1 });
    }
  }
  return entries;
}
