// The approvals room: one question to a person, asked -> granted | refused | expired | withdrawn, bound to the digest of what was shown.
// At a terminal a door asks. What waits for another terminal waits at the desk. It starts nothing: the broker does, after `redeem`.

export { ApprovalDesk } from "./approval-desk.ts";
export { webhookAsker, webhookDefaults } from "./ask-webhook.ts";
export { type Approval, type Moment, type Redemption, askApproval, expiryOf, redeemApproval, settleApproval } from "./approval-state.ts";
export { type ApprovalSubject, subjectDigest } from "./approval-subject.ts";
export { connectionDigest } from "./connection-subject.ts";
export { type Examined, type ExamineRequest, examineFiles, findProgram } from "./examine-files.ts";
export { type AbandonedClaim, abandonedClaims, type ClaimAbout, type PendingClaim, claimPending } from "./pending-claims.ts";
