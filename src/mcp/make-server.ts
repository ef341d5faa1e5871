// One server for one client: the tools, bound to the session's sandbox. Whatever a tool throws becomes an answer that names the code and the next step.
import { McpServer, type CallToolResult, type ServerContext, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { McpServing } from "../contracts/mcp-servers.ts";
import { version } from "../contracts/version.ts";
import { printableJsonLine } from "../kit/printable-json.ts";
import { Progress, type SendProgress } from "./progress.ts";
import { callsAtOnce, type Session } from "./session.ts";
import type { McpTool, ToolAnswer } from "./tool.ts";
import { fetchAddress } from "./tools/fetch.ts";
import { listFiles } from "./tools/list-files.ts";
import { listRefusals } from "./tools/list-refusals.ts";
import { readFile } from "./tools/read-file.ts";
import { runCode } from "./tools/run-code.ts";
import { runCommand } from "./tools/run-command.ts";
import { writeFile } from "./tools/write-file.ts";

/** Bytes from inside are within strings here, and cannot end them; nothing in it can steer a terminal. */
function resultOf({ document, isError }: ToolAnswer): CallToolResult {
  return { content: [{ type: "text", text: printableJsonLine(document, Infinity) }], isError };
}

function failureOf(thrown: unknown, say: McpServing["say"]): ToolAnswer {
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  const error =
    thrown instanceof GloveboxError ? thrown : new GloveboxError("INTERNAL", "mcp.internal", { values: { reason }, cause: thrown });
  return { document: { error: { code: error.code, message: say(error.sentence), hint: say(error.hint) } }, isError: true };
}

/** Undefined when the client did not ask to be told. */
function progressSender({ mcpReq }: ServerContext): SendProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
}

async function answer(session: Session, { mcpReq }: ServerContext, call: () => Promise<ToolAnswer>): Promise<CallToolResult> {
  const { say } = session.serving;
  if (!session.enter()) {
    const error = new GloveboxError("SANDBOX_LIMIT", "mcp.too-many-calls", { values: { maximum: callsAtOnce } });
    return resultOf(failureOf(error, say));
  }
  try {
    mcpReq.signal.throwIfAborted();
    return resultOf(await call());
  } catch (error) {
    return resultOf(failureOf(error, say));
  } finally {
    session.leave();
  }
}

function offer<Input>(server: McpServer, session: Session, tool: McpTool<Input>): void {
  const { sandbox, serving } = session;
  const { say, returnedBytes, door } = serving;
  const records = door.records.bind(door);
  const annotations = { readOnlyHint: tool.isReadOnly, destructiveHint: !tool.isReadOnly };
  const inputSchema: StandardSchemaWithJSON<unknown, Input> = tool.input(say);
  const config = { description: say({ key: tool.about }), inputSchema, annotations };
  server.registerTool(tool.name, config, async (input: Input, context: ServerContext) =>
    answer(session, context, () => {
      const progress = new Progress(say, progressSender(context));
      return tool.call(input, { sandbox, records, returnedBytes, signal: context.mcpReq.signal, progress });
    }),
  );
}

export function makeServer(session: Session): McpServer {
  const instructions = session.serving.say({ key: "mcp.instructions" });
  const server = new McpServer({ name: "glovebox", version }, { instructions });
  offer(server, session, runCommand);
  offer(server, session, runCode);
  offer(server, session, readFile);
  offer(server, session, writeFile);
  offer(server, session, listFiles);
  offer(server, session, fetchAddress);
  offer(server, session, listRefusals);
  return server;
}
