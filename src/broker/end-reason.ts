// Why a sandbox that outlived its commands has ended, as whoever still holds it is told.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { sandboxEnds } from "../contracts/ledger-record.ts";

export type EndReason = (typeof sandboxEnds)[number];

/** One that has ended, or that ends now. */
export interface EndedSandbox {
  readonly sandbox: string;
  readonly isContainer: boolean;
  readonly reason: EndReason;
}

export function endedError({ sandbox, isContainer, reason }: EndedSandbox): GloveboxError {
  switch (reason) {
    case "closed":
    case "killed":
    case "broker":
      return new GloveboxError("SANDBOX_CLOSED", "sandbox.closed", { values: { sandbox } });
    case "idle":
      return new GloveboxError("SANDBOX_CLOSED", "sandbox.ended-idle", { values: { sandbox } });
    case "expired":
      if (isContainer) return new GloveboxError("CONTAINER_EXPIRED", "sandbox.container-expired", { values: { sandbox } });
      return new GloveboxError("SANDBOX_CLOSED", "sandbox.ended-expired", { values: { sandbox } });
    default: {
      const limit = reason === "denials" ? "denialsBeforeStop" : reason;
      return new GloveboxError("SANDBOX_CLOSED", "sandbox.ended-limit", { values: { sandbox, limit } });
    }
  }
}
