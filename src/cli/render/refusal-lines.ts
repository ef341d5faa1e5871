// The two lines below every refusal: its code and what to do next.
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";

/** A full-width colon brings its own space. */
const labelled = (label: string, value: string): string => `${label}${label.endsWith("：") ? "" : " "}${value}`;

/** @param hint ready to print */
export function refusalLines(code: string, hint: string, options: { readonly text: Texts; readonly style: Style }): readonly string[] {
  const { text, style } = options;
  const line = (key: string, value: string): string => {
    const label = text({ key });
    return `  ${style("dim", label)}${labelled(label, value).slice(label.length)}`;
  };
  return [line("cli.failure.code", code), line("cli.failure.next", hint)];
}
