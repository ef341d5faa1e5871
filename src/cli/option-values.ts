// The options of one call, read without casts.

export interface OptionValues {
  has(name: string): boolean;
  /** The value of an option that may be given once. */
  text(name: string): string | undefined;
  /** All values of a repeatable option, in order. */
  list(name: string): readonly string[];
}

/** @param given name -> values; a switch has one empty value */
export function createOptionValues(given: ReadonlyMap<string, readonly string[]>): OptionValues {
  return {
    has: (name) => given.has(name),
    text: (name) => given.get(name)?.[0],
    list: (name) => given.get(name) ?? [],
  };
}
