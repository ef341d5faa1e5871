// The guard's room: the host side of the protocol that native/guard speaks. Does not start the guard; whoever does hands in its channel.
import type { Duplex } from "node:stream";
import { GuardSession, type GuardSessionOptions } from "./guard-session.ts";

export { readCollected } from "./collected-frames.ts";
export { type CommandOptions, type GuardCommand, resources } from "./command-frames.ts";
export { errnoName } from "./errno-name.ts";
export { type GuardSession, type GuardSessionOptions } from "./guard-session.ts";
export { type GuardReady } from "./handshake.ts";
export { type GuardMediation, type GuardRule, type ReadRule, type ResourceLimit, type TouchLogRequest } from "./host-frames.ts";
export { combineRights, type LandlockRight, landlockRights, nameRights, rightsFor } from "./landlock-rights.ts";
export { parseProbe, type GuardProbe } from "./probe-output.ts";
export { exitStatus, type LayerName, sizes } from "./protocol.ts";
export {
  contentMax,
  dropTouchLog,
  nameTouchedRoots,
  openTouchLog,
  readTouches,
  touchLogPath,
  type TouchedRoot,
  type Touches,
} from "./touch-log.ts";
export { type KeptContent, type TouchedState, type TouchRecords } from "./touch-records.ts";

/**
 * Takes the host's end of the guard's descriptor 3 (a socket pair, such as a stdio entry `pipe` of a spawned process). The session owns
 * it from here on: whatever ends the session destroys the channel, and that ends the guard.
 */
export function openGuardSession(channel: Duplex, options: GuardSessionOptions = {}): GuardSession {
  return new GuardSession(channel, options);
}
