// Copies the harmless part of a user's git configuration: names and colours, never a key that runs a program, reads a file or holds a
// secret. It understands the plain form only; a line it does not understand is left out.

/** section.key in lower case -> allowed. */
const allowedKeys = new Set([
  "user.name",
  "user.email",
  "init.defaultbranch",
  "core.autocrlf",
  "core.eol",
  "core.quotepath",
  "pull.rebase",
  "push.default",
  "merge.conflictstyle",
]);

const plainSection = /^\[([A-Za-z][A-Za-z0-9-]*)\]$/u;
const plainEntry = /^([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/u;

/** A value without line continuation or comment; undefined when it is not plain. */
function plainValue(text: string): string | undefined {
  const inner = /^"([^"\\]*)"$/u.exec(text)?.[1] ?? text;
  return /["\\#;\p{Cc}]/u.test(inner) || inner.length > 200 ? undefined : inner;
}

/** @returns text in git's configuration format; empty when nothing qualifies */
export function sanitiseGitConfig(text: string): string {
  const lines: string[] = [];
  let section: string | undefined;
  let isContinued = false;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const wasContinued = isContinued;
    isContinued = line.endsWith("\\");
    if (wasContinued || isContinued) continue;
    if (line.startsWith("[")) {
      section = plainSection.exec(line)?.[1]?.toLowerCase();
      continue;
    }
    const [, key, value] = plainEntry.exec(line) ?? [];
    const plain = value === undefined ? undefined : plainValue(value);
    if (section === undefined || key === undefined || plain === undefined) continue;
    const isAllowed = section === "color" || allowedKeys.has(`${section}.${key.toLowerCase()}`);
    if (isAllowed) lines.push(`[${section}]`, `\t${key} = "${plain}"`);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
