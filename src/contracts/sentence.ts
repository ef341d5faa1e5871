// A sentence for a person before it has a language: a key of the catalogue in src/texts and the values to fill in.

export interface Sentence {
  /** e.g. `sheet.read.system`; `scripts/check-texts.ts` proves that it exists in every language. */
  readonly key: string;
  /** Raw values; whoever renders them escapes them. */
  readonly values?: Readonly<Record<string, string | number>>;
}
