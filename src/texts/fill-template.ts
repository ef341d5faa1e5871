// Puts values into a sentence: `{name}`, `{count|file|files}` for a word that follows a number, and `{name:terms}` for a list, joined by commas, of
// expressions that have names of their own in each language.

export type SentenceValues = Readonly<Record<string, string | number>>;

export interface FillOptions {
  readonly escape: (text: string) => string;
  /** Gives the text for a value that was not handed in. */
  readonly onMissing: (name: string) => string;
  /** One expression in the language of the sentence; undefined where it is the same in all. */
  readonly term: (text: string) => string | undefined;
}

const placeholder = /\{(\w+)(?:(:terms)|\|([^{}|]*)\|([^{}|]*))?\}/gu;
const separator = ", ";

/** One pass: braces inside a value stay text, so a value can never pull in another value. */
export function fillTemplate(template: string, values: SentenceValues, options: FillOptions): string {
  return template.replaceAll(placeholder, (_whole, name: string, ...forms: readonly (string | undefined)[]) => {
    const [terms, one, many] = forms;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return options.onMissing(name);
    if (one !== undefined && many !== undefined) return Number(value) === 1 ? one : many;
    const show = (text: string): string => options.escape(text);
    if (terms === undefined) return show(String(value));
    return String(value)
      .split(separator)
      .map((text) => options.term(text) ?? show(text))
      .join(separator);
  });
}
