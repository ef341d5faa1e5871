// `write_file`: makes, replaces or extends one file, written inside by a command like any other. INVARIANT I-04
import * as z from "zod";
import { content, path } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

const inputFor = (say: Say) =>
  z.strictObject({
    path: path().describe(say({ key: "mcp.input.path" })),
    content: content().describe(say({ key: "mcp.input.content" })),
    encoding: z
      .enum(["text", "base64"])
      .default("text")
      .describe(say({ key: "mcp.input.encoding" })),
    append: z
      .boolean()
      .default(false)
      .describe(say({ key: "mcp.input.append" })),
  });

export const writeFile: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "write_file",
  about: "mcp.tool.write-file",
  isReadOnly: false,
  input: inputFor,
  call: async ({ path: file, content: given, encoding, append }, context) => {
    const bytes = Buffer.from(given, encoding === "base64" ? "base64" : "utf8");
    const mode = append ? ["oflag=append", "conv=notrunc"] : [];
    const performed = await performCommand(context, { argv: ["dd", `of=${file}`, ...mode, "bs=64K", "status=none"], input: bytes });
    if (performed.result.outcome !== "ok") return { ...commandAnswer(performed), isError: true };
    return { document: { path: file, writtenBytes: bytes.length }, isError: false };
  },
};
