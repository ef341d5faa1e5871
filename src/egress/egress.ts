// The egress room: the gate. `GateProcess` is the broker's side, `serveGate` the inside of the gate's own process.
export type { NetworkSettings } from "./gate-messages.ts";
export { refusalReasons } from "./reason.ts";
export { type GateChannel, serveGate } from "./serve-gate.ts";
export { type AskedQuestion, GateProcess, type GateStart, type SandboxEgress, type ServedEvent, type Serving } from "./start-gate.ts";
