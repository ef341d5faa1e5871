// Makes text from inside a sandbox, a policy or a path safe to show a person on one line: nothing in it can move the cursor,
// reorder what is read, hide, or pass for another word. INVARIANT I-13
import { lazily } from "./lazily.ts";
import { markLookalikes } from "./mark-lookalikes.ts";

// Controls, line and paragraph separators, every space but the plain one, bidi controls, zero-width and other default-ignorable characters (variation selectors, fillers,
// tags), the blank braille pattern, private use, unassigned. Reading the expression alone takes a millisecond, and most runs show no text.
const unsafe = lazily(() => /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu);

/** More marks on one letter than any language writes: they would reach into the lines around. */
const piled = lazily(() => /(?<=\p{M}{3})\p{M}/gu);

function escapeOne(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

/** Replaces each character that must not reach a person's screen raw: controls (line feeds too), reordering, invisible, unassigned. */
export function replaceUnsafe(text: string, replace: (character: string) => string): string {
  return text.replaceAll(unsafe(), replace);
}

/** One printable line; longer than `maximum` characters is cut and says by how much. */
export function escapeText(text: string, maximum = 2000): string {
  const cut = text.length > maximum ? text.slice(0, maximum) : text;
  const printable = cut.replaceAll("\\", "\\\\").replaceAll(unsafe(), escapeOne);
  const escaped = markLookalikes(printable.replaceAll(piled(), escapeOne));
  return text.length > maximum ? `${escaped}... (${text.length - maximum} more characters)` : escaped;
}

/** Quoted as a shell would need it, nothing escaped: for a value of a sentence, which is escaped where it is rendered. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/u.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** A quoted word that is safe to show as it is. */
export function showArgument(argument: string): string {
  return quoteArgument(escapeText(argument));
}
