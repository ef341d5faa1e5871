// The door's room: how other processes of the same user reach a broker, at both ends.
export { brokerPlace } from "./broker-place.ts";
export { DoorClient } from "./door-client.ts";
export { errorDocument } from "./door-errors.ts";
export type { BrokerPlace, StartWord } from "./reach-broker.ts";
export { foundBroker, reachedBroker } from "./reached-broker.ts";
export { stopBroker } from "./stop-broker.ts";
export { serveDoor, type ServedDoor, type ServedSandboxes } from "./serve-door.ts";
