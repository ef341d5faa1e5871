// A running broker as the command line and the library hold it: its sandboxes, and the tokens that lie in the state for this user.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { sandboxIdSchema } from "../contracts/ids.ts";
import type { SharedBroker } from "../contracts/reached-broker.ts";
import { approvalClient } from "./approval-client.ts";
import type { DoorClient } from "./door-client.ts";
import { readToken } from "./door-files.ts";
import { type BrokerPlace, findBroker, reachBroker } from "./reach-broker.ts";

function held(client: DoorClient, { directory }: BrokerPlace): SharedBroker {
  return {
    sandboxes: client,
    approvals: approvalClient(client, directory),
    access: async (sandbox) => {
      const token = await readToken(directory, sandbox);
      if (token !== undefined) return { sandbox, token };
      if (sandboxIdSchema.safeParse(sandbox).success) await client.refuseEnded(sandbox);
      throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.unknown", { values: { sandbox } });
    },
    reload: (sandbox) => client.reload(sandbox),
    stop: () => client.stop(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Starts one when none runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION, and what kept it from starting */
export async function reachedBroker(place: BrokerPlace): Promise<SharedBroker> {
  return held(await reachBroker(place), place);
}

/** Undefined when none runs. @throws BROKER_UNAVAILABLE, BROKER_VERSION */
export async function foundBroker(place: BrokerPlace): Promise<SharedBroker | undefined> {
  const client = await findBroker(place);
  return client === undefined ? undefined : held(client, place);
}
