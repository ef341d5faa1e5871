// Says the sentences of src/texts/catalogue/setup.json on stderr. The texts room itself needs a newer Node than set-up may find.
// @ts-check
import { readFileSync } from "node:fs";
import path from "node:path";

/** @typedef {Readonly<Record<string, string | number>>} Values */
/** @typedef {{ sentence(key: string, values?: Values): string, say(key: string, values?: Values): void, write(text: string): void }} Speaker */

/**
 * The same order as src/texts/language.ts: what was asked for, else the locale, else English.
 * @param {string | undefined} asked
 * @param {NodeJS.ProcessEnv} environment
 * @returns {"en" | "zh"}
 */
export function chooseLanguage(asked, environment) {
  if (asked === "en" || asked === "zh") return asked;
  const locale = [environment.LC_ALL, environment.LC_MESSAGES, environment.LANG].find((value) => value !== undefined && value !== "");
  return locale !== undefined && /^zh(?:$|[_.@-])/iu.test(locale) ? "zh" : "en";
}

/**
 * @param {string} root
 * @param {"en" | "zh"} language
 * @param {(text: string) => void} write
 * @returns {Speaker}
 */
export function openSpeaker(root, language, write) {
  const file = path.join(root, "src/texts/catalogue/setup.json");
  /** @type {Record<string, Record<string, string>>} */
  const catalogue = JSON.parse(readFileSync(file, "utf8"));
  /** @type {Speaker["sentence"]} */
  const sentence = (key, values = {}) => {
    const template = catalogue[key]?.[language] ?? key;
    return template.replaceAll(/\{(\w+)\}/gu, (whole, name) => String(values[name] ?? whole));
  };
  return { sentence, write, say: (key, values) => write(`glovebox: ${sentence(key, values).replaceAll("\n", "\n  ")}\n`) };
}
