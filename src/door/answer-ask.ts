// The requests in JSON: each names what proves that it may be asked.
import type { Standing } from "../contracts/approval-door.ts";
import type { RunIo } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { SandboxCommandResult } from "../contracts/sandbox-door.ts";
import type { DoorHost } from "./door-host.ts";
import { type Ask, askSchema } from "./door-requests.ts";
import { relayPort } from "./relay-port.ts";
import { violation } from "./violation.ts";

type ApprovalAsk = Extract<Ask, { ask: "put" | "questions" | "question" | "answer" }>;

export interface AskIo {
  readonly io: RunIo;
  /** Resolves when the connection that it came by is closed. */
  readonly callerGone: Promise<void>;
  readonly answer: (value: unknown) => void;
  /** Of a port: the server sends no more. */
  readonly endOutput: () => void;
  /** Where the client stands. */
  readonly standing: () => Promise<Standing>;
}

function parseAsk(block: Buffer): Ask {
  try {
    return askSchema().parse(JSON.parse(block.toString("utf8")));
  } catch {
    throw violation("ask"); // no JSON, or none of ours
  }
}

function requireKey({ isEqual }: DoorHost, given: string, { expected, capability }: { expected: string; capability: string }): void {
  if (!isEqual(given, expected)) throw new GloveboxError("ACCESS_REFUSED", "door.key-wrong", { values: { capability } });
}

/** Leaves out what is undefined, as exact optional properties want it. */
function given(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}

async function open({ sandboxes, approvals }: DoorHost, { opening }: Extract<Ask, { ask: "open" }>, about: AskIo): Promise<unknown> {
  // Its connections ask long after whoever opened it is gone.
  const asker = await about.standing();
  const { policy, callerEnvironment, inputs, idleMs, hardMs, endsWithCaller } = opening;
  const { projectDirectory, policyFile, document, overrides } = policy;
  const opened = await sandboxes.open(
    {
      policy: { projectDirectory, ...given({ policyFile, document, overrides }) },
      callerEnvironment,
      ...given({ inputs, idleMs, hardMs }),
    },
    { signal: about.io.signal, ask: (question, signal) => approvals.ask(question, { asker, signal }) },
  );
  // It may have ended before: then there is nothing to do.
  if (endsWithCaller === true) void about.callerGone.then(() => sandboxes.end(opened)).catch(() => {});
  return opened;
}

/** Who asks needs no more than who opens; who lists and answers needs a key of its own. INVARIANT I-12 */
async function approval(host: DoorHost, ask: ApprovalAsk, { io: { signal }, standing }: AskIo): Promise<unknown> {
  const { approvals, keys } = host;
  if (ask.ask === "put") {
    requireKey(host, ask.key, { expected: keys.open, capability: "open" });
    return approvals.ask(ask.question, { asker: await standing(), signal });
  }
  requireKey(host, ask.key, { expected: keys.approve, capability: "approve" });
  if (ask.ask === "questions") return approvals.list({ signal, ...(ask.after === undefined ? {} : { after: ask.after }) });
  if (ask.ask === "question") return approvals.show(ask.approval);
  approvals.answer(ask.approval, ask.answer, await standing());
  return null;
}

/** @returns the answer of what is no stream */
async function answerOf(host: DoorHost, ask: Exclude<Ask, { ask: "attach" | "connect" }>, about: AskIo): Promise<unknown> {
  const { sandboxes, keys } = host;
  switch (ask.ask) {
    case "open":
      requireKey(host, ask.key, { expected: keys.open, capability: "open" });
      return open(host, ask, about);
    case "logs": {
      const logs = await sandboxes.logs(ask, ask.action);
      return logs.map(({ bytes, ...log }) => ({ ...log, base64: Buffer.from(bytes).toString("base64") }));
    }
    case "end-command":
      await sandboxes.endCommand(ask, ask.action);
      return null;
    case "checkpoint":
      return sandboxes.checkpoint(ask);
    case "untilEnded":
      await sandboxes.untilEnded(ask, about.io.signal);
      return null;
    case "stats":
      return sandboxes.stats(ask);
    case "rescue":
      return sandboxes.rescue(ask, ask.paths);
    case "pause":
    case "resume":
      await sandboxes[ask.ask](ask);
      return null;
    case "kill":
      return sandboxes.kill(ask);
    case "close":
      return sandboxes.end(ask);
    case "put":
    case "questions":
    case "question":
    case "answer":
      return approval(host, ask, about);
    default:
      requireKey(host, ask.key, { expected: keys.admin, capability: "admin" });
      if (ask.ask === "list") return sandboxes.list();
      if (ask.ask === "prune") return sandboxes.prune(ask);
      if (ask.ask === "reload") return host.reload(ask.sandbox);
      if (ask.ask === "ended") throw host.goneError(ask.sandbox);
      host.stop();
      return null;
  }
}

/** Resolves with a result for `attach`; for everything else when it was answered. @throws BROKER_PROTOCOL, ACCESS_REFUSED, and what is thrown by what was asked */
export async function answerAsk(host: DoorHost, block: Buffer, about: AskIo): Promise<SandboxCommandResult | undefined> {
  const { io, answer } = about;
  const ask = parseAsk(block);
  if (ask.ask === "attach") return host.sandboxes.attach(ask, ask.action, io);
  if (ask.ask === "connect") await relayPort(await host.sandboxes.connect(ask, ask.port), about);
  else answer(await answerOf(host, ask, about));
  return undefined;
}
