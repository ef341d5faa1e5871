// A constant that is made when somebody first asks.

/** @param make pure: called at most once */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
