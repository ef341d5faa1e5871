// Every sentence that a person reads, in English and Chinese: looks a key up, fills in the values, and escapes them. INVARIANT I-13
// It imports nothing but the catalogue, and knows neither colours nor columns.
import agents from "./catalogue/agents.json" with { type: "json" };
import approval from "./catalogue/approval.json" with { type: "json" };
import broker from "./catalogue/broker.json" with { type: "json" };
import cache from "./catalogue/cache.json" with { type: "json" };
import changes from "./catalogue/changes.json" with { type: "json" };
import cli from "./catalogue/cli.json" with { type: "json" };
import desk from "./catalogue/desk.json" with { type: "json" };
import egress from "./catalogue/egress.json" with { type: "json" };
import guard from "./catalogue/guard.json" with { type: "json" };
import imported from "./catalogue/import.json" with { type: "json" };
import mcp from "./catalogue/mcp.json" with { type: "json" };
import ledger from "./catalogue/ledger.json" with { type: "json" };
import library from "./catalogue/library.json" with { type: "json" };
import policy from "./catalogue/policy.json" with { type: "json" };
import preset from "./catalogue/preset.json" with { type: "json" };
import proof from "./catalogue/proof.json" with { type: "json" };
import sandbox from "./catalogue/sandbox.json" with { type: "json" };
import setup from "./catalogue/setup.json" with { type: "json" };
import sheet from "./catalogue/sheet.json" with { type: "json" };
import wall from "./catalogue/wall.json" with { type: "json" };
import { fillTemplate, type SentenceValues } from "./fill-template.ts";
import type { Language } from "./language.ts";

export { chooseLanguage, type Language, languages } from "./language.ts";

/** The same shape as contracts/sentence.ts, repeated because this room imports nothing. */
export interface SentenceToShow {
  readonly key: string;
  readonly values?: SentenceValues;
}

/** One sentence in every language. */
export type CatalogueEntry = Readonly<Record<Language, string>>;

/** Turns a sentence into text of the chosen language. */
export type Texts = (sentence: SentenceToShow) => string;

export interface TextsOptions {
  /** What to do about a key or a value that is not there: `show` the key (default; a person still sees something), or `throw` in tests. */
  readonly onMissing?: "show" | "throw";
  /** Replaces the built-in catalogue, in tests. */
  readonly catalogue?: ReadonlyMap<string, CatalogueEntry>;
}

const topics: Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>> = {
  agents,
  approval,
  broker,
  cache,
  changes,
  cli,
  desk,
  egress,
  guard,
  import: imported,
  ledger,
  library,
  mcp,
  policy,
  preset,
  proof,
  sandbox,
  setup,
  sheet,
  wall,
};

/**
 * Joins topic files into one catalogue.
 * @throws Error naming a key that two topics define.
 */
export function mergeTopics(files: typeof topics): ReadonlyMap<string, CatalogueEntry> {
  const merged = new Map<string, CatalogueEntry>();
  for (const [topic, entries] of Object.entries(files)) {
    for (const [key, entry] of Object.entries(entries)) {
      if (merged.has(key)) throw new Error(`Cannot merge "${topic}": another topic defines "${key}"`);
      merged.set(key, entry);
    }
  }
  return merged;
}

/** All sentences of all topics. */
export const catalogue: ReadonlyMap<string, CatalogueEntry> = mergeTopics(topics);

/** `the sum of the tree` -> `term.the-sum-of-the-tree` */
const termKey = (text: string): string =>
  `term.${text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")}`;

/** @param escape applied to every value, never to our own sentences: makes hostile text harmless to show */
export function createTexts(language: Language, escape: (text: string) => string, options: TextsOptions = {}): Texts {
  const entries = options.catalogue ?? catalogue;
  return (sentence) => {
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
