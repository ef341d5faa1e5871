// Finds the name that somebody probably meant.

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/** The known name with the fewest edits from `name`, if that is at most a third of its letters (and at least one may differ). */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const allowed = Math.max(1, Math.floor(name.length / 3));
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }));
  return ranked.filter((entry) => entry.distance <= allowed).toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}
