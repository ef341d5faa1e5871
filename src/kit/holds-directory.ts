// Whether one directory is another, or holds it at any depth. By name alone.

/** @param outer absolute, without links and without a slash at its end, but for `/` @param inner the same */
export function holdsDirectory(outer: string, inner: string): boolean {
  return outer === "/" || outer === inner || inner.startsWith(`${outer}/`);
}
