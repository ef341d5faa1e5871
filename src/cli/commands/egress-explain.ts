// `glovebox egress explain HOST[:PORT]`: which rule of the policy that holds here decides about a place, and what would allow it.
import { canonicalHost, parseHostPort, showHost } from "../../kit/host-name.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand } from "../command.ts";
import { policyOption, presetOption, projectOption, selectPolicy } from "../policy-selection.ts";
import { usageError } from "../usage-error.ts";

/** Port 443 where none is given. @throws USAGE_INVALID */
function placeOf(text: string): { readonly host: string; readonly port: number } {
  const place = parseHostPort(text);
  if (place !== undefined) return { host: showHost(place.host), port: place.port };
  const host = canonicalHost(text);
  if (host === undefined) throw usageError("usage.place-shape", { place: text });
  return { host: showHost(host), port: 443 };
}

export const egressExplainCommand: CliCommand = {
  words: ["egress", "explain"],
  summary: "cli.egress-explain.summary",
  synopsis: "HOST[:PORT]",
  options: [policyOption, presetOption, projectOption],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox egress explain api.example.com:443", about: "cli.egress-explain.example" }],
  notes: ["cli.egress-explain.note"],
  execute: async (context, input) => {
    const place = placeOf(input.operands[0] ?? "");
    const answer = await (await context.door()).explainConnection(await selectPolicy(context, input), place);
    const lines = answer.lines.map((line) => context.text(line));
    if (context.isJson) await context.stdout.write(printableJson({ ...place, verdict: answer.verdict, lines }));
    else await context.stdout.lines(lines);
    return 0;
  },
};
