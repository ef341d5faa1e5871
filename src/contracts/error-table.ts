// The one table of errors: docs, exit codes and (later) HTTP statuses are read from it. Codes are permanent.

/** What a caller may do about it: `never` = the same call fails again; `after-fix` = follow the hint first; `later` = try again. */
export type Retry = "never" | "after-fix" | "later";

export interface ErrorRow {
  /** HTTP status for the API doors. */
  readonly status: number;
  /** Exit code of the command line. */
  readonly exit: number;
  readonly retry: Retry;
}

export const errorTable = {
  USAGE_INVALID: { status: 400, exit: 2, retry: "after-fix" },
  TASK_UNKNOWN: { status: 404, exit: 2, retry: "never" },
  CHANGES_EXPIRED: { status: 410, exit: 2, retry: "never" },
  CHANGES_EDITED: { status: 409, exit: 2, retry: "after-fix" },
  CHANGES_NOT_KEPT: { status: 410, exit: 2, retry: "after-fix" },
  ARTIFACT_UNKNOWN: { status: 404, exit: 2, retry: "after-fix" },
  ARTIFACT_EXPIRED: { status: 410, exit: 2, retry: "never" },
  ARTIFACT_ALTERED: { status: 500, exit: 125, retry: "never" },
  INPUT_REFUSED: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_UNREADABLE: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_SYNTAX: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_KEY_UNKNOWN: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_KEY_UNSUPPORTED: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_KEY_INERT: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_VALUE_INVALID: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_WIDENS: { status: 400, exit: 2, retry: "after-fix" },
  POLICY_TEST_FAILED: { status: 400, exit: 2, retry: "after-fix" },
  SPEC_UNREADABLE: { status: 400, exit: 2, retry: "after-fix" },
  TEMPLATE_UNREADABLE: { status: 400, exit: 2, retry: "after-fix" },
  TEMPLATE_HOLDS_SECRET: { status: 403, exit: 120, retry: "after-fix" },
  TEMPLATE_UNKNOWN: { status: 404, exit: 2, retry: "after-fix" },
  TEMPLATE_FOREIGN: { status: 409, exit: 122, retry: "after-fix" },
  TEMPLATE_ALTERED: { status: 500, exit: 122, retry: "after-fix" },
  TEMPLATE_UNBUILDABLE: { status: 503, exit: 122, retry: "after-fix" },
  TEMPLATE_BUILD_FAILED: { status: 502, exit: 125, retry: "later" },
  TEMPLATE_NO_ROOM: { status: 507, exit: 125, retry: "after-fix" },
  SPEC_TOO_OPEN: { status: 403, exit: 120, retry: "after-fix" },
  POLICY_DENIED: { status: 403, exit: 120, retry: "never" },
  APPROVAL_UNAVAILABLE: { status: 403, exit: 121, retry: "after-fix" },
  APPROVAL_REFUSED: { status: 403, exit: 121, retry: "never" },
  APPROVAL_EXPIRED: { status: 403, exit: 121, retry: "later" },
  APPROVAL_WITHDRAWN: { status: 403, exit: 121, retry: "later" },
  APPROVAL_CHANGED: { status: 409, exit: 121, retry: "later" },
  APPROVAL_UNKNOWN: { status: 404, exit: 2, retry: "never" },
  APPROVAL_LIMIT: { status: 429, exit: 121, retry: "later" },
  SETUP_NEEDED: { status: 503, exit: 122, retry: "after-fix" },
  WALL_UNAVAILABLE: { status: 503, exit: 122, retry: "after-fix" },
  PATH_RULE_UNENFORCEABLE: { status: 503, exit: 122, retry: "after-fix" },
  SANDBOX_OPEN_FAILED: { status: 503, exit: 122, retry: "after-fix" },
  SANDBOX_CLOSED: { status: 410, exit: 125, retry: "never" },
  CONTAINER_EXPIRED: { status: 410, exit: 2, retry: "never" },
  SANDBOX_PAUSED: { status: 409, exit: 2, retry: "after-fix" },
  PAUSE_UNAVAILABLE: { status: 503, exit: 122, retry: "after-fix" },
  SANDBOX_UNKNOWN: { status: 404, exit: 2, retry: "never" },
  SANDBOX_LIMIT: { status: 429, exit: 123, retry: "later" },
  CELL_UNAVAILABLE: { status: 503, exit: 122, retry: "after-fix" },
  CELL_LOST: { status: 502, exit: 125, retry: "later" },
  FILE_UNAVAILABLE: { status: 409, exit: 2, retry: "after-fix" },
  LIMIT_REACHED: { status: 429, exit: 123, retry: "after-fix" },
  LIMIT_WALL_TIME: { status: 408, exit: 124, retry: "after-fix" },
  GUARD_PROTOCOL: { status: 500, exit: 125, retry: "later" },
  ACCESS_REFUSED: { status: 403, exit: 125, retry: "after-fix" },
  BROKER_UNAVAILABLE: { status: 503, exit: 125, retry: "later" },
  BROKER_VERSION: { status: 409, exit: 125, retry: "after-fix" },
  BROKER_PROTOCOL: { status: 500, exit: 125, retry: "later" },
  STATE_INSECURE: { status: 500, exit: 125, retry: "after-fix" },
  STATE_BUSY: { status: 503, exit: 125, retry: "later" },
  STATE_VERSION: { status: 500, exit: 125, retry: "after-fix" },
  LEDGER_UNWRITABLE: { status: 503, exit: 125, retry: "after-fix" },
  LEDGER_UNREADABLE: { status: 503, exit: 125, retry: "after-fix" },
  LEDGER_INCONSISTENT: { status: 500, exit: 125, retry: "after-fix" },
  LEDGER_VALUE_REFUSED: { status: 500, exit: 125, retry: "never" },
  RESULT_UNWRITABLE: { status: 500, exit: 125, retry: "after-fix" },
  INTERNAL: { status: 500, exit: 125, retry: "never" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;
