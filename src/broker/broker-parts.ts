// What the broker is made of, put together by the root of composition.
import type { Boundary, HostUser } from "../contracts/boundary.ts";
import type { Clock } from "../contracts/clock.ts";
import type { IdSource } from "../contracts/ids.ts";
import type { Ledger } from "../contracts/ledger.ts";
import type { GateProcess, NetworkSettings } from "../egress/egress.ts";
import type { StateLayout } from "./state-layout.ts";
import type { Step } from "./step.ts";
import type { JournalOwner } from "./task-journal.ts";

export interface BrokerParts {
  readonly layout: StateLayout;
  readonly ledger: Ledger;
  readonly boundary: Boundary;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly user: HostUser;
  readonly owner: JournalOwner;
  readonly step: Step;
  /** The hash of the policy that would hold if its documents were read now. */
  readonly policyHashNow: () => Promise<string>;
  /** The gate, started when it is first asked for. */
  readonly gate: () => GateProcess;
  /** How this machine reaches the outside, now. */
  readonly network: NetworkSettings;
}
