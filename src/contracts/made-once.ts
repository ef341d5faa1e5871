// A schema that is made when somebody first asks: most processes check few things, and making all schemas takes as long as half of Node's start.
// The same as kit/lazily.ts, repeated because this room imports nothing.

/** @param make pure: called at most once */
export function madeOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
