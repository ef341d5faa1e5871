// `fetch`: one document from the network. It is asked for by a command inside, so the gate judges, limits and records it like all else. INVARIANT I-06
import * as z from "zod";
import { word } from "../inputs.ts";
import { commandAnswer, performCommand } from "../perform-command.ts";
import type { McpTool, Say } from "../tool.ts";

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}

const inputFor = (say: Say) =>
  z.strictObject({
    url: word()
      .max(8192)
      .refine(isWebAddress, { error: "Expected an http or https address without a user's name" })
      .describe(say({ key: "mcp.input.url" })),
    method: z
      .enum(["GET", "HEAD"])
      .default("GET")
      .describe(say({ key: "mcp.input.method" })),
  });

/** Nothing of a configuration file, no pattern in the address, no other protocol; what it came to goes to stderr. */
const options =
  "--disable --silent --show-error --globoff --compressed --location --max-redirs 10 --proto =http,https --proto-redir =http,https".split(
    " ",
  );
const report = "%{stderr}status %{response_code}\ncontent-type %{content_type}\naddress %{url_effective}\n";

export const fetchAddress: McpTool<z.output<ReturnType<typeof inputFor>>> = {
  name: "fetch",
  about: "mcp.tool.fetch",
  isReadOnly: true,
  input: inputFor,
  call: async ({ url, method }, context) => {
    const performed = await performCommand(context, {
      argv: ["curl", ...options, "--write-out", report, ...(method === "HEAD" ? ["--head"] : []), "--", url],
    });
    const answer = commandAnswer(performed);
    return { ...answer, isError: performed.result.outcome !== "ok" };
  },
};
