// A broker in the process of whoever uses it, without a door: the library's, when it attaches to none.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { ReachedBroker } from "../contracts/reached-broker.ts";
import type { SandboxDoor } from "../contracts/sandbox-door.ts";
import { Sandboxes, type SandboxesParts } from "./sandboxes.ts";

/** Its sandboxes end with it, and with the process. */
export function holdBroker(parts: Pick<SandboxesParts, "prepare" | "nowMs">): ReachedBroker {
  const tokens = new Map<string, string>();
  const sandboxes = new Sandboxes({ ...parts, onChange: () => {}, onEnded: (sandbox) => void tokens.delete(sandbox) });
  const remembering: SandboxDoor = {
    open: async (opening, io) => {
      const opened = await sandboxes.open(opening, io);
      tokens.set(opened.sandbox, opened.token);
      return opened;
    },
    exec: (access, command, io) => sandboxes.exec(access, command, io),
    attach: (access, action, io) => sandboxes.attach(access, action, io),
    logs: (access, action) => sandboxes.logs(access, action),
    connect: (access, port) => sandboxes.connect(access, port),
    list: () => sandboxes.list(),
    end: (access) => sandboxes.end(access),
  };
  return {
    sandboxes: remembering,
    access: async (sandbox) => {
      const token = tokens.get(sandbox);
      if (token === undefined) throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.unknown", { values: { sandbox } });
      return { sandbox, token };
    },
    stop: () => sandboxes.closeAll(),
    [Symbol.asyncDispose]: () => sandboxes.closeAll(),
  };
}
