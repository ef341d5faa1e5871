// A running broker, as a process reaches it that is none itself.
import type { ApprovalDoor } from "./approval-door.ts";
import type { SandboxAccess, SandboxDoor } from "./sandbox-door.ts";

export interface ReloadedRules {
  readonly sandbox: string;
  readonly policyHash: string;
  /** Connections that the new rules do not permit any more. */
  readonly endedConnections: number;
  /** The policy says something else also about what an open sandbox cannot change: that holds for the next one. */
  readonly isPartial: boolean;
}

export interface ReachedBroker extends AsyncDisposable {
  readonly sandboxes: SandboxDoor;
  /** The token that is kept for this user. @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED */
  access(sandbox: string): Promise<SandboxAccess>;
  /**
   * Reads the policy of an open sandbox anew, as its opening named it, and gives the sandbox its rules about connections: what they do not permit ends at
   * once, what they permit besides opens nothing by itself. Of the owner: no token of a sandbox is enough.
   * @throws SANDBOX_UNKNOWN, SANDBOX_CLOSED, POLICY_*, WALL_UNAVAILABLE; then the rules are the same as before
   */
  reload(sandbox: string): Promise<ReloadedRules>;
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
