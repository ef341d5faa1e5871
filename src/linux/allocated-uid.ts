// The uid that root's sandboxes have on the host: one of nobody's for each.

/**
 * Where root's sandboxes get their host uid: above every range that systemd, subuid tools and container engines hand out
 * (systemd.io/UIDS-GIDS: 524288..1879048191 are containers), below the 31-bit limit. One uid per sandbox, from the 24 low random bits
 * of its id; the caller checks that no process has it.
 */
export const allocatedUidBase = 1_879_048_192;
export const allocatedUidCount = 1 << 24;

/** True when an account has the number, or a range of subordinate ids (`name:first:count` of /etc/subuid and /etc/subgid) holds it. */
export function isUidPromised(uid: number, files: { readonly passwd: string; readonly subordinate: readonly string[] }): boolean {
  const hasAccount = files.passwd.split("\n").some((line) => line.split(":")[2] === String(uid));
  const isInRange = (line: string): boolean => {
    const [, first, count] = line.split(":").map(Number);
    return first !== undefined && count !== undefined && uid >= first && uid < first + count;
  };
  return hasAccount || files.subordinate.some((text) => text.split("\n").some(isInRange));
}

export function allocatedUid(sandboxId: string): number {
  return allocatedUidBase + Number.parseInt(sandboxId.slice(-6), 16);
}

/** Of the same sandbox: what a container runtime is while it sets one up, and no process of it afterwards. */
export function allocatedSetUpUid(sandboxId: string): number {
  return allocatedUid(sandboxId) + allocatedUidCount;
}

export function isAllocatedUid(uid: number): boolean {
  return uid >= allocatedUidBase && uid < allocatedUidBase + 2 * allocatedUidCount;
}
