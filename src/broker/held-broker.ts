// A broker in the process of whoever uses it, without a door.
import type { ReachedBroker } from "../contracts/reached-broker.ts";
import { Sandboxes, type SandboxesNeeds } from "./sandboxes.ts";

/** Its sandboxes end with it, and with the process. */
export function holdBroker(parts: SandboxesNeeds): ReachedBroker {
  const tokens = new Map<string, string>();
  const sandboxes = new Sandboxes({
    ...parts,
    onChange: () => {},
    onOpened: async (sandbox, token) => void tokens.set(sandbox, token),
    onEnded: (sandbox) => void tokens.delete(sandbox),
  });
  return {
    sandboxes,
    access: async (sandbox) => {
      const token = tokens.get(sandbox);
      if (token === undefined) throw sandboxes.goneError(sandbox);
      return { sandbox, token };
    },
    reload: (sandbox) => sandboxes.reload(sandbox),
    stop: () => sandboxes.closeAll(),
    [Symbol.asyncDispose]: () => sandboxes.closeAll(),
  };
}
