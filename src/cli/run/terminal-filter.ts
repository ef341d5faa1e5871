// What a command without a terminal of its own may do to ours: colours, line feeds, tabs, backspace and carriage return pass;
// every other control sequence, and characters that reorder text, are shown as text. INVARIANT I-13
// With `--pty` the command has a terminal, draws on ours itself, and this filter is not used.

export interface TerminalFilter {
  /** What to write now; a sequence or character that is not complete waits for the next bytes. */
  push(bytes: Uint8Array): string;
  /** The rest, and a reset when colours were used. */
  end(): string;
}

const escape = "\u001B";
const parameters = "\\[[0-9;:]{0,64}";
const filtered = new RegExp(`${escape}${parameters}m|[\\p{Cc}\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]`, "gu");
/** The end of a piece that could still become a colour. */
const unfinished = new RegExp(`${escape}(?:${parameters})?$`, "u");
const harmless: ReadonlySet<string> = new Set(["\n", "\r", "\t", "\b"]);

function show(found: string): string {
  if (found.length > 1 || harmless.has(found)) return found;
  const code = found.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

export function createTerminalFilter(): TerminalFilter {
  const decoder = new TextDecoder("utf-8");
  let waiting = "";
  let usedColour = false;
  const clean = (text: string): string => {
    const shown = text.replaceAll(filtered, show);
    usedColour ||= shown.includes(escape);
    return shown;
  };
  return {
    push: (bytes) => {
      const text = waiting + decoder.decode(bytes, { stream: true });
      waiting = unfinished.exec(text)?.[0] ?? "";
      return clean(text.slice(0, text.length - waiting.length));
    },
    end: () => {
      const rest = clean(waiting + decoder.decode());
      waiting = "";
      return usedColour ? `${rest}${escape}[0m` : rest;
    },
  };
}
