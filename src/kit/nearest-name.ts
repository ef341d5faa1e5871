// Finds the name that somebody probably meant.

/** Insertions, deletions, replacements, and swaps of neighbours (optimal string alignment). */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= right.length; column += 1) {
      const isEqual = left[row - 1] === right[column - 1];
      const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const simple = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isEqual ? 0 : 1));
      current.push(isSwap ? Math.min(simple, at(row - 2, column - 2) + 1) : simple);
    }
  }
  return at(left.length, right.length);
}

/** The known name with the fewest edits from `name`, if that is at most a third of its letters (and at least one may differ). */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const allowed = Math.max(1, Math.floor(name.length / 3));
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }));
  return ranked.filter((entry) => entry.distance <= allowed).toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}
