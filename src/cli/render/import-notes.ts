// What did not become part of an imported policy as it was written: for a person, and as data.
import type { ImportNote } from "../../contracts/policy-import.ts";
import { escapeText } from "../../kit/escape-text.ts";
import type { Texts } from "../../texts/texts.ts";

/** Literal keys, so that each is known to exist. */
const kinds: Readonly<Record<ImportNote["kind"], string>> = {
  inert: "import.kind.inert",
  refused: "import.kind.refused",
  stricter: "import.kind.stricter",
};

/** `settings.json:3: network.httpProxyPort: refused: nothing leaves but ...` */
export function noteLine(file: string, { kind, key, line, reason }: ImportNote, text: Texts): string {
  const place = line > 0 ? `${escapeText(file)}:${line}` : escapeText(file);
  return `${place}: ${escapeText(key)}: ${text({ key: kinds[kind] })}: ${text(reason)}`;
}

export function noteJson({ kind, key, line, reason }: ImportNote, text: Texts) {
  return { kind, key, line, reason: text(reason) };
}
