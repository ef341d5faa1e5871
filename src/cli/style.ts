// Colour for terminals only: never in a pipe, never with NO_COLOR, `--no-color` or TERM=dumb. FORCE_COLOR changes nothing.

export type Paint = "bold" | "dim" | "red" | "green" | "yellow";
export type Style = (paint: Paint, text: string) => string;

export interface StyleChoice {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--no-color` */
  readonly isPlain: boolean;
}

const codes: Readonly<Record<Paint, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export function createStyle(choice: StyleChoice & { readonly isTerminal: boolean }): Style {
  const noColor = choice.env["NO_COLOR"];
  const isPlain = choice.isPlain || !choice.isTerminal || (noColor !== undefined && noColor !== "") || choice.env["TERM"] === "dumb";
  if (isPlain) return (_paint, text) => text;
  return (paint, text) => {
    const [on, off] = codes[paint];
    return text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`;
  };
}
