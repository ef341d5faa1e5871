// Every sentence that a person reads, in English and Chinese: looks a key up, fills in the values, and escapes them. INVARIANT I-13
// It imports nothing but the catalogue, and knows neither colours nor columns.
import { fillTemplate, type SentenceValues } from "./fill-template.ts";
import type { Language } from "./language.ts";
import { type CatalogueEntry, type Topics, topics } from "./topics.ts";

export { chooseLanguage, type Language, languages } from "./language.ts";
export type { CatalogueEntry } from "./topics.ts";

/** The same shape as contracts/sentence.ts, repeated because this room imports nothing. */
export interface SentenceToShow {
  readonly key: string;
  readonly values?: SentenceValues;
}

/** Turns a sentence into text of the chosen language. */
export type Texts = (sentence: SentenceToShow) => string;

export interface TextsOptions {
  /** What to do about a key or a value that is not there: `show` the key (default; a person still sees something), or `throw` in tests. */
  readonly onMissing?: "show" | "throw";
  /** Replaces the built-in catalogue, in tests. */
  readonly catalogue?: ReadonlyMap<string, CatalogueEntry>;
}

/**
 * Joins topic files into one catalogue.
 * @throws Error naming a key that two topics define.
 */
export function mergeTopics(files: Topics): ReadonlyMap<string, CatalogueEntry> {
  const merged = new Map<string, CatalogueEntry>();
  for (const [topic, entries] of Object.entries(files)) {
    for (const [key, entry] of Object.entries(entries)) {
      if (merged.has(key)) throw new Error(`Cannot merge "${topic}": another topic defines "${key}"`);
      merged.set(key, entry);
    }
  }
  return merged;
}

let whole: ReadonlyMap<string, CatalogueEntry> | undefined;

/** All sentences of all topics, put together when somebody first says one: most runs say nothing. */
export const catalogue = (): ReadonlyMap<string, CatalogueEntry> => (whole ??= mergeTopics(topics()));

/** `the sum of the tree` -> `term.the-sum-of-the-tree` */
const termKey = (text: string): string =>
  `term.${text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")}`;

/** @param escape applied to every value, never to our own sentences: makes hostile text harmless to show */
export function createTexts(language: Language, escape: (text: string) => string, options: TextsOptions = {}): Texts {
  return (sentence) => {
    const entries = options.catalogue ?? catalogue();
    const template = entries.get(sentence.key)?.[language];
    if (template === undefined) {
      if (options.onMissing === "throw") throw new Error(`No sentence "${sentence.key}" in "${language}"`);
      return escape(sentence.key);
    }
    return fillTemplate(template, sentence.values ?? {}, {
      escape,
      term: (text) => entries.get(termKey(text))?.[language],
      onMissing: (name) => {
        if (options.onMissing === "throw") throw new Error(`No value "${name}" for the sentence "${sentence.key}"`);
        return `{${name}}`;
      },
    });
  };
}
