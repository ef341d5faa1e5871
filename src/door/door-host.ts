// What the door serves, and the secrets that open it.
import type { AnswerDesk } from "../contracts/approval-door.ts";
import type { ReloadedRules } from "../contracts/reached-broker.ts";
import type { SandboxDoor } from "../contracts/sandbox-door.ts";

export interface DoorKeys {
  /** 64 hex digits each. */
  readonly open: string;
  readonly admin: string;
}

export interface DoorHost {
  readonly sandboxes: SandboxDoor;
  readonly approvals: AnswerDesk;
  readonly keys: DoorKeys & { readonly approve: string };
  /** Of two secrets in constant time. */
  readonly isEqual: (given: string, expected: string) => boolean;
  /** The rules about connections of its policy as its documents are now. */
  readonly reload: (sandbox: string) => Promise<ReloadedRules>;
  /** What is to be said of a sandbox that is not (any more) there. */
  readonly goneError: (sandbox: string) => Error;
  /** Ends the broker once what it was asked is answered. */
  readonly stop: () => void;
}
