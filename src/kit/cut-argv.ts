// A command's words for a list of commands: enough to know it by. The record has all of them.

/** Of all words together. */
const shownMax = 256;

/** At most `shownMax` characters; what was cut ends with an ellipsis. */
export function cutArgv(argv: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let left = shownMax;
  for (const word of argv) {
    if (word.length > left) return [...shown, `${word.slice(0, Math.max(0, left)).toWellFormed()}…`];
    shown.push(word);
    left -= word.length + 1;
  }
  return shown;
}
