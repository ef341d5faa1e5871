// How many columns text takes on a terminal, so that tables line up when East Asian characters are in them.
// It expects text without controls (escape-text.ts comes first) and counts code points, not shaped clusters.

// Unicode East Asian Width W and F, joined where only unassigned code points lie between.
const wide =
  /[\u1100-\u115F\u231A\u231B\u2329\u232A\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18CFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const zero = /[\p{Mn}\p{Me}\p{Cf}]/u;

function characterWidth(character: string): 0 | 1 | 2 {
  if (character <= "~") return 1;
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Columns that `text` takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Fills with spaces on the right up to `width` columns; longer text stays as it is. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** Cuts to at most `width` columns and then ends in `...`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const dots = ".".repeat(Math.min(3, Math.max(0, width)));
  let kept = "";
  let used = dots.length;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    kept += character;
  }
  return kept + dots;
}
