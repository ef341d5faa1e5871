// Who a container is, on the host and inside. Root's is nobody: an allocated uid. An ordinary user's is the user, without a capability.
import type { HostUser } from "../../contracts/boundary.ts";
import { allocatedSetUpUid, allocatedUid } from "../../linux/linux.ts";

export interface IdMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: 1;
}

export interface ContainerIdentity {
  readonly hostUid: number;
  readonly hostGid: number;
  readonly insideUid: number;
  readonly insideGid: number;
  /** Whom root's captive network is watched as: nobody of the container. Undefined for an ordinary user, whose it is. */
  readonly watcherUid: number | undefined;
  /** Of the account inside. */
  readonly name: string;
  readonly uidMappings: readonly IdMapping[];
  readonly gidMappings: readonly IdMapping[];
}

const userInside = 1000;

const one = (containerID: number, hostID: number): IdMapping => ({ containerID, hostID, size: 1 });

/**
 * A runtime sets a container up as uid 0 of its user namespace. For root that is a second allocated uid, and nobody inside after the start. An
 * ordinary user may map one id only, his own: what he runs is uid 0 inside, with no capability and no way to get one.
 */
export function containerIdentity({ uid, gid }: HostUser, sandboxId: string): ContainerIdentity {
  if (uid !== 0) {
    const own = { hostUid: uid, hostGid: gid, insideUid: 0, insideGid: 0, watcherUid: undefined, name: "root" };
    return { ...own, uidMappings: [one(0, uid)], gidMappings: [one(0, gid)] };
  }
  const hostUid = allocatedUid(sandboxId);
  const setUpUid = allocatedSetUpUid(sandboxId);
  const mappings = [one(0, setUpUid), one(userInside, hostUid)];
  return {
    hostUid,
    hostGid: hostUid,
    insideUid: userInside,
    insideGid: userInside,
    watcherUid: setUpUid,
    name: "sandbox",
    uidMappings: mappings,
    gidMappings: mappings,
  };
}
