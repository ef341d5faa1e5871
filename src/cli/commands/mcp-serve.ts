// `glovebox mcp serve`: tools for an agent that act in a sandbox, over our own standard streams or over HTTP on loopback. It never asks anybody.
import path from "node:path";
import type { McpServing } from "../../contracts/mcp-servers.ts";
import { printableJson } from "../../kit/printable-json.ts";
import type { CliCommand, CliContext, CommandInput } from "../command.ts";
import { parseHttpPlace } from "../mcp/http-place.ts";
import { newToken, tokenOfFile } from "../mcp/http-token.ts";
import { policyOption, presetOption, projectOption, selectPolicyWithFlags } from "../policy-selection.ts";
import { relaySignals } from "../run/relay-signals.ts";
import { policyFlags } from "../run/run-overrides.ts";
import { openStdinBytes } from "../run/stdin-bytes.ts";
import { usageError } from "../usage-error.ts";

async function servingOf(context: CliContext, input: CommandInput, signal: AbortSignal): Promise<McpServing> {
  const policy = await selectPolicyWithFlags(context, input);
  const door = await context.door();
  // A policy that does not hold is refused now, and not by the first call.
  const { limits } = await door.policy(policy);
  const { text: say, io } = context;
  return { door, opening: { policy, callerEnvironment: io.env }, returnedBytes: limits.returnedBytes, say, signal };
}

async function serveStreams(context: CliContext, serving: McpServing): Promise<void> {
  const { io, stdout } = context;
  const stdin = openStdinBytes(io.stdin);
  try {
    await (await context.mcp()).serveStreams(serving, { input: stdin.chunks, write: (bytes) => stdout.write(bytes) });
  } finally {
    stdin.release();
  }
}

async function serveHttp(context: CliContext, serving: McpServing, { options }: CommandInput): Promise<void> {
  const place = parseHttpPlace(options.text("http") ?? "");
  const file = options.text("token-file");
  const tokenFile = file === undefined ? undefined : path.resolve(context.cwd, file);
  const token = tokenFile === undefined ? newToken() : await tokenOfFile(tokenFile);
  const { stdout, text, isJson } = context;
  const onListening = async (url: string): Promise<void> => {
    const how = tokenFile === undefined ? { token } : { tokenFile };
    if (isJson) return stdout.write(printableJson({ url, ...how }));
    const [key, value] = tokenFile === undefined ? ["cli.mcp-serve.token", token] : ["cli.mcp-serve.token-file", tokenFile];
    await stdout.lines([text({ key: "cli.mcp-serve.listening", values: { url } }), text({ key, values: { value } })]);
  };
  await (await context.mcp()).serveHttp(serving, { ...place, token, onListening });
}

async function execute(context: CliContext, input: CommandInput): Promise<number> {
  const isHttp = input.options.has("http");
  if (!isHttp && input.options.has("token-file")) throw usageError("mcp.token-without-http");
  const leaving = new AbortController();
  const signals = relaySignals(context.io.events, () => leaving.abort());
  try {
    const serving = await servingOf(context, input, leaving.signal);
    await (isHttp ? serveHttp(context, serving, input) : serveStreams(context, serving));
    return 0;
  } finally {
    signals.release();
  }
}

export const mcpServeCommand: CliCommand = {
  words: ["mcp", "serve"],
  summary: "cli.mcp-serve.summary",
  synopsis: "",
  options: [
    { name: "http", value: "ADDRESS:PORT", about: "cli.option.http" },
    { name: "token-file", value: "FILE", about: "cli.option.token-file" },
    policyOption,
    presetOption,
    projectOption,
    ...policyFlags,
  ],
  arguments: { kind: "operands", minimum: 0, maximum: 0 },
  examples: [
    { line: "glovebox mcp serve --preset node", about: "cli.mcp-serve.example.streams" },
    { line: "glovebox mcp serve --http 127.0.0.1:8123 --token-file ~/.config/agent/token", about: "cli.mcp-serve.example.http" },
  ],
  notes: ["cli.mcp-serve.note.policy", "cli.mcp-serve.note.asks", "cli.mcp-serve.note.session"],
  execute,
};
