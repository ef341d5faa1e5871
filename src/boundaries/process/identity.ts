// Who a sandbox is, on the host and inside, and the account files that say so.
import { allocatedUid } from "../../linux/linux.ts";
import { hostNameInside, homeInside } from "./inside.ts";

/** What root's sandboxes see themselves as; an ordinary user's keep their number, so that files show their owner. */
export const ordinaryUidInside = 1000;

export interface Identity {
  readonly hostUid: number;
  readonly hostGid: number;
  readonly insideUid: number;
  readonly insideGid: number;
  readonly name: string;
}

export function identityFor(user: { readonly uid: number; readonly gid: number; readonly name: string }, sandboxId: string): Identity {
  if (user.uid !== 0) return { hostUid: user.uid, hostGid: user.gid, insideUid: user.uid, insideGid: user.gid, name: user.name };
  const uid = allocatedUid(sandboxId);
  return { hostUid: uid, hostGid: uid, insideUid: ordinaryUidInside, insideGid: ordinaryUidInside, name: "sandbox" };
}

/** A name that cannot break the colon-separated files. */
function accountName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9._-]{0,31}$/u.test(name) ? name : "sandbox";
}

/** The host's system accounts (people's names are not the sandbox's business) and the one account of this sandbox. */
export function accountFiles(
  identity: Identity,
  host: { readonly passwd: string; readonly group: string },
): { readonly passwd: string; readonly group: string } {
  const name = accountName(identity.name);
  const isSystem =
    (id: number) =>
    (line: string): boolean => {
      const fields = line.split(":");
      const number = Number(fields[2]);
      return (
        fields.length >= 4 && /^\d+$/u.test(fields[2] ?? "") && (number < 1000 || number === 65534) && number !== id && fields[0] !== name
      );
    };
  const passwd = host.passwd.split("\n").filter(isSystem(identity.insideUid));
  // Group members are people: the fourth field stays empty.
  const group = host.group
    .split("\n")
    .filter(isSystem(identity.insideGid))
    .map((line) => `${line.split(":").slice(0, 3).join(":")}:`);
  passwd.push(`${name}:x:${identity.insideUid}:${identity.insideGid}:${name}:${homeInside}:/bin/sh`);
  group.push(`${name}:x:${identity.insideGid}:`);
  return { passwd: `${passwd.join("\n")}\n`, group: `${group.join("\n")}\n` };
}

/** Names of the sandbox itself only: the host's own list tells about its network. */
export const hostsFile = `127.0.0.1\tlocalhost ${hostNameInside}\n::1\tlocalhost ip6-localhost ${hostNameInside}\n`;
