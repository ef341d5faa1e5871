// `read_file`: bytes of one file, read inside by a command like any other, so that what a rule denies stays denied. INVARIANT I-05
import * as z from "zod";
import { path } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

const inputFor = (say: Say) =>
  z.strictObject({
    path: path().describe(say({ key: "mcp.input.path" })),
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe(say({ key: "mcp.input.offset" })),
    max_bytes: z
      .int()
      .min(1)
      .optional()
      .describe(say({ key: "mcp.input.max-bytes" })),
  });

export const readFile: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "read_file",
  about: "mcp.tool.read-file",
  isReadOnly: true,
  input: inputFor,
  call: async ({ path: file, offset, max_bytes: asked }, context) => {
    const keptBytes = Math.min(asked ?? context.returnedBytes, context.returnedBytes);
    // One byte more than is kept: then the answer knows whether there is more.
    const range = [`skip=${offset}`, `count=${keptBytes + 1}`, "iflag=skip_bytes,count_bytes,fullblock"];
    const performed = await performCommand(context, { argv: ["dd", `if=${file}`, ...range, "bs=64K", "status=none"], keptBytes });
    if (performed.result.outcome !== "ok") return { ...commandAnswer(performed), isError: true };
    const { returnedBytes, isTruncated, ...content } = performed.output.describe("stdout");
    return {
      document: {
        path: file,
        content: { ...content, bytes: returnedBytes },
        offset,
        nextOffset: isTruncated ? offset + returnedBytes : null,
      },
      isError: false,
    };
  },
};
