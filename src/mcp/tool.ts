// What one tool is: one small object in one file of tools/, listed once in make-server.ts. A tool acts inside the session's sandbox or reads its record;
// none approves, widens, or takes a path of the host.
import type * as z from "zod";
import type { McpServing } from "../contracts/mcp-servers.ts";
import type { Progress } from "./progress.ts";
import type { SessionSandbox } from "./session-sandbox.ts";

export type Say = McpServing["say"];

export interface ToolContext {
  readonly sandbox: SessionSandbox;
  readonly records: McpServing["door"]["records"];
  readonly returnedBytes: number;
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

export interface ToolAnswer {
  /** JSON. What came out of the sandbox is in parts that say `untrusted`. INVARIANT I-13 */
  readonly document: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface McpTool<Input> {
  readonly name: string;
  /** Key of the sentence that tells a model what it is for. */
  readonly about: string;
  /** It changes nothing inside. */
  readonly isReadOnly: boolean;
  /** Closed: an unknown key is an error that names it. */
  input(say: Say): z.ZodType<Input>;
  /** @throws GloveboxError for what was refused or failed before the command ran */
  call(input: Input, context: ToolContext): Promise<ToolAnswer>;
}
