// The start of the gate's process: its channel, its end with the broker's, and the rules that it decides by.
import { serveGate } from "./egress/egress.ts";
import { egressDecider } from "./policy/policy.ts";

const send = process.send?.bind(process);
if (send === undefined) throw new TypeError("The gate is started by the broker");

// Without the broker nothing can be recorded, and nothing may leave.
process.on("disconnect", () => process.exit(0));
// A terminal's signals are the broker's to act on.
for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => {});

serveGate(
  {
    send: (message) => void send(message, undefined, {}, () => {}),
    onMessage: (listener) => void process.on("message", listener),
  },
  egressDecider,
);
