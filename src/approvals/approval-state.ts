// The life of one approval as a value. Pure: time is handed in. Nothing leads out of refused, expired, withdrawn or used. INVARIANT I-12
import type { ApprovalId, Digest } from "../contracts/ids.ts";

/** A moment on both clocks: the wall clock may jump, the monotonic one means something within one boot only. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicNs: bigint;
  readonly bootId: string;
}

export type ApprovalState = "asked" | "granted" | "refused" | "expired" | "withdrawn" | "used";

export interface Approval {
  readonly id: ApprovalId;
  /** Of everything that was shown as bound. */
  readonly subject: Digest;
  readonly asked: Moment;
  readonly lifetimeMs: number;
  readonly state: ApprovalState;
}

export function askApproval(parts: Omit<Approval, "state">): Approval {
  return { ...parts, state: "asked" };
}

/** Expired as soon as either clock says so, and by every other boot than its own. */
export function expiryOf({ asked, lifetimeMs }: Approval, now: Moment): boolean {
  if (now.bootId !== asked.bootId) return true;
  const elapsedMs = Number((now.monotonicNs - asked.monotonicNs) / 1_000_000n);
  return elapsedMs < 0 || elapsedMs >= lifetimeMs || now.wallMs - asked.wallMs >= lifetimeMs;
}

/** What an answer makes of it: only an asked one takes an answer, and a late one has expired. */
export function settleApproval(approval: Approval, answer: "granted" | "refused" | "withdrawn", now: Moment): Approval {
  if (approval.state !== "asked") return approval;
  return { ...approval, state: answer === "withdrawn" ? answer : expiryOf(approval, now) ? "expired" : answer };
}

export interface Redemption {
  /** `usable` once; `changed`: what would run is not what was shown. */
  readonly verdict: "usable" | "changed" | "expired" | "not-granted";
  /** What the approval is from now on. */
  readonly approval: Approval;
}

/** @param subject of what is about to run, looked at again */
export function redeemApproval(approval: Approval, subject: Digest, now: Moment): Redemption {
  if (approval.state !== "granted") return { verdict: approval.state === "expired" ? "expired" : "not-granted", approval };
  if (expiryOf(approval, now)) return { verdict: "expired", approval: { ...approval, state: "expired" } };
  if (subject !== approval.subject) return { verdict: "changed", approval: { ...approval, state: "withdrawn" } };
  return { verdict: "usable", approval: { ...approval, state: "used" } };
}
