// `list_files`: the names in a directory, as the sandbox sees them.
import * as z from "zod";
import { wellFormedByteText, decodeByteText } from "../../kit/byte-text.ts";
import { path } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

const inputFor = (say: Say) =>
  z.strictObject({
    path: path()
      .default(".")
      .describe(say({ key: "mcp.input.directory" })),
    depth: z
      .int()
      .min(1)
      .max(16)
      .default(1)
      .describe(say({ key: "mcp.input.depth" })),
  });

const kinds: ReadonlyMap<string, string> = new Map([
  ["f", "file"],
  ["d", "directory"],
  ["l", "link"],
]);

/** A name takes more room in the answer than in the listing. */
const listingShare = 1 / 8;

/** `find` takes what begins with a dash for an option. */
const operand = (directory: string): string => (directory.startsWith("/") ? directory : `./${directory}`);

/** Of `%y %s %P\0`; the last one may have been cut, and is left out. */
function entriesOf(listing: Buffer): readonly { readonly path: string; readonly kind: string; readonly bytes: number }[] {
  const lines = decodeByteText(listing).split("\0").slice(0, -1);
  return lines.flatMap((line) => {
    const [, kind = "", size = "", name = ""] = /^(.) (\d+) ([\s\S]*)$/u.exec(line) ?? [];
    return name === "" ? [] : [{ path: wellFormedByteText(name), kind: kinds.get(kind) ?? "other", bytes: Number(size) }];
  });
}

export const listFiles: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "list_files",
  about: "mcp.tool.list-files",
  isReadOnly: true,
  input: inputFor,
  call: async ({ path: directory, depth }, context) => {
    const shape = ["-mindepth", "1", "-maxdepth", String(depth), "-printf", "%y %s %P\\0"];
    const keptBytes = Math.ceil(context.returnedBytes * listingShare);
    const performed = await performCommand(context, { argv: ["find", operand(directory), ...shape], keptBytes });
    const { output, result } = performed;
    const entries = entriesOf(output.kept("stdout"));
    if (result.outcome !== "ok" && entries.length === 0) return { ...commandAnswer(performed), isError: true };
    return {
      document: { path: directory, untrusted: true, entries, isTruncated: output.isTruncated("stdout"), stderr: output.describe("stderr") },
      isError: false,
    };
  },
};
