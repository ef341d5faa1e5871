// Signals that people send to `glovebox run`: each kind goes on to the command once; what comes after that, or before there is a
// command, ends the run.
import type { SignalName } from "../../contracts/boundary.ts";
import type { CliEvents, CliSignal } from "../cli-io.ts";

export interface SignalRelay {
  /** From now on the first signal of each kind goes to the command. */
  attach(send: (name: SignalName) => void): void;
  release(): void;
}

const relayed: readonly CliSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** @param abort called for a signal that is not passed on: the run is to end now */
export function relaySignals(events: CliEvents, abort: () => void): SignalRelay {
  const sent = new Set<CliSignal>();
  let send: ((name: SignalName) => void) | undefined;
  const listeners = relayed.map((name) => {
    const listener = (): void => {
      if (send === undefined || sent.has(name)) {
        abort();
        return;
      }
      sent.add(name);
      send(name);
    };
    events.on(name, listener);
    return { name, listener };
  });
  return {
    attach: (target) => {
      send = target;
    },
    release: () => {
      for (const { name, listener } of listeners) events.off(name, listener);
    },
  };
}
