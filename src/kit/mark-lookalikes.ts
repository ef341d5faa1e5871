// Letters that look like ASCII but are not: `аdmin` with a Cyrillic а is another word than `admin`. Each gets its number behind it, so that
// a person sees what a program would see. It works on text that escape-text.ts has made printable.
import { lazily } from "./lazily.ts";

/** Runs of characters that a reader takes for one word. */
const words = lazily(() => /[\p{L}\p{M}\p{N}]+/gu);
const ascii = /[A-Za-z]/u;
/** Scripts with letters of the same shapes as Latin ones. */
const confusable = lazily(
  () =>
    /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\p{Script=Deseret}\p{Script=Osage}\u{1D00}-\u{1D7F}\u0131\u0237\u0251\u0261\u0269\u01C0\u01C3\u02BC]/u,
);
/** A word that consists of nothing but these could be read as an ASCII one. */
const twins = /^[аеорсухіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅԌԚԜαινορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ0-9]+$/u;
/** Look like / - . : and are none. */
const signs = /[\u2044\u2215\u29F8\uFF0F\uFF3C\u29F5\u2216\u2010-\u2013\u2212\uFE63\uFF0D\u2024\uFF0E\uA789\u2236\u02D0\u01C3]/gu;

const mark = (character: string): string =>
  `${character}{U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}}`;

/** Full-width, mathematical, circled: one ASCII letter or digit in other clothes. */
function isDressed(character: string): boolean {
  return character > "~" && /^[A-Za-z0-9]$/u.test(character.normalize("NFKC"));
}

function markWord(word: string): string {
  const isMixed = ascii.test(word) || twins.test(word);
  return Array.from(word, (character) =>
    isDressed(character) || (isMixed && confusable().test(character)) ? mark(character) : character,
  ).join("");
}

export function markLookalikes(text: string): string {
  return /^[ -~]*$/u.test(text) ? text : text.replaceAll(words(), markWord).replaceAll(signs, mark);
}
