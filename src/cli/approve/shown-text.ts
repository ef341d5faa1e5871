// How hostile text stands in a question: printable, bounded, and with what was cut said in numbers.
import { escapeText, quoteArgument } from "../../kit/escape-text.ts";
import { sha256Hex } from "../../kit/digest.ts";
import type { Texts } from "../../texts/texts.ts";

const headCharacters = 800;
const tailCharacters = 200;
const maximumWords = 200;

export interface Shown {
  readonly text: string;
  /** Characters or words that are not shown. */
  readonly isCut: boolean;
}

/** Beginning and end of a long one, with the length of what is between them and a digest of the whole. */
export function showWord(word: string, text: Texts): Shown {
  const cut = word.length - headCharacters - tailCharacters;
  if (cut <= 0) return { text: quoteArgument(escapeText(word, word.length)), isCut: false };
  const gap = text({ key: "approval.cut-characters", values: { count: cut, digest: sha256Hex(word).slice(0, 12) } });
  const [head, tail] = [word.slice(0, headCharacters), word.slice(-tailCharacters)].map((part) => escapeText(part, part.length));
  return { text: `'${head ?? ""}' [${gap}] '${tail ?? ""}'`, isCut: true };
}

/** A command line. */
export function showWords(words: readonly string[], text: Texts): Shown {
  const shown = words.slice(0, maximumWords).map((word) => showWord(word, text));
  const left = words.length - shown.length;
  const more = left > 0 ? [`[${text({ key: "approval.cut-words", values: { count: left } })}]`] : [];
  return { text: [...shown.map((word) => word.text), ...more].join(" "), isCut: left > 0 || shown.some(({ isCut }) => isCut) };
}
