// A running broker, as a process reaches it that is none itself.
import type { ApprovalDoor } from "./approval-door.ts";
import type { SandboxAccess, SandboxDoor } from "./sandbox-door.ts";

export interface ReachedBroker extends AsyncDisposable {
  readonly sandboxes: SandboxDoor;
  /** The token that is kept for this user. @throws SANDBOX_UNKNOWN */
  access(sandbox: string): Promise<SandboxAccess>;
  /** Ends it, and every sandbox that it holds. */
  stop(): Promise<void>;
}

/** A broker that people at other terminals reach too. */
export interface SharedBroker extends ReachedBroker {
  readonly approvals: ApprovalDoor;
}

/** How a process is a broker for others. */
export interface BrokerServing {
  /** Aborted: it is to leave now. */
  readonly signal: AbortSignal;
  /** Tells whoever started it, in one line, that clients can connect, that another broker runs, or why there will be none. */
  say(word: unknown): Promise<void>;
}
