// Puts values into a sentence: `{name}`, and `{count|file|files}` for a word that follows a number.

export type SentenceValues = Readonly<Record<string, string | number>>;

export interface FillOptions {
  readonly escape: (text: string) => string;
  /** Gives the text for a value that was not handed in. */
  readonly onMissing: (name: string) => string;
}

const placeholder = /\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/gu;

/** One pass: braces inside a value stay text, so a value can never pull in another value. */
export function fillTemplate(template: string, values: SentenceValues, options: FillOptions): string {
  return template.replaceAll(placeholder, (_whole, name: string, one: string | undefined, many: string | undefined) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return options.onMissing(name);
    if (one !== undefined && many !== undefined) return Number(value) === 1 ? one : many;
    return options.escape(String(value));
  });
}
