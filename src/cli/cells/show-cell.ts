// What a cell shows, for a person as it comes, or collected and bounded for a program. All of it is untrusted. INVARIANT I-13
import type { CellOutput } from "../../contracts/cells.ts";
import type { OutputSink } from "../run/output-sink.ts";

/** As text, and where it goes. */
function textOf(output: CellOutput): { readonly channel: "stdout" | "stderr"; readonly text: string } {
  if (output.kind === "stream") return { channel: output.name, text: output.text };
  if (output.kind === "error") {
    const lines = output.traceback.length === 0 ? [`${output.name}: ${output.value}`] : output.traceback;
    return { channel: "stderr", text: `${lines.join("\n")}\n` };
  }
  const { "text/plain": plain = Object.keys(output.data).join(", ") } = output.data;
  return { channel: "stdout", text: plain === "" || plain.endsWith("\n") ? plain : `${plain}\n` };
}

export async function showOutput(sink: OutputSink, output: CellOutput): Promise<void> {
  const { channel, text } = textOf(output);
  if (text !== "") await sink.take({ channel, bytes: new TextEncoder().encode(text) });
}

export interface ShownOutput {
  readonly kind: CellOutput["kind"];
  readonly channel: "stdout" | "stderr";
  readonly text: string;
  /** What else it was shown as; pictures and tables are artifacts. */
  readonly types?: readonly string[];
}

/** Keeps text until `maximum` characters of all cells together. */
export function outputCollector(maximum: number): {
  take(output: CellOutput): void;
  next(): { outputs: readonly ShownOutput[]; isTruncated: boolean };
} {
  let left = maximum;
  let outputs: ShownOutput[] = [];
  let isTruncated = false;
  return {
    take: (output) => {
      const { channel, text } = textOf(output);
      const kept = text.slice(0, left);
      left -= kept.length;
      isTruncated ||= kept.length < text.length;
      if (kept === "") return;
      outputs.push({ kind: output.kind, channel, text: kept, ...("data" in output ? { types: Object.keys(output.data) } : {}) });
    },
    next: () => {
      const of = { outputs, isTruncated };
      outputs = [];
      isTruncated = false;
      return of;
    },
  };
}
