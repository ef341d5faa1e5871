// Which process inside has a port: found by the host in the sandbox's own list of sockets and in what its processes hold open. Evidence, but
// of now: whoever has ended or closed the socket since is not found. The name is what the process calls itself. Bounded in what it reads.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { type HostProcess, treeOf } from "../linux/linux.ts";

/** Of one list of sockets, some 7,000 lines. */
const listBytesMax = 1 << 20;
/** Descriptors that are looked at for one answer. */
const linksMax = 2048;

export interface PortOwner {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}

function readHead(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(listBytesMax);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.toString("latin1", 0, length);
  } catch {
    return ""; // its process ended, or the machine has no such family: either way there is nothing to say
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Inodes of the sockets of that local port, without those that have no owner any more (proc_net_tcp.rst: local address, remote address,
 * state, queues, timer, retransmissions, uid, timeout, inode). Exported for its test.
 */
export function socketInodes(list: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return list.split("\n").flatMap((line) => {
    const [, local, , , , , , , , inode] = line.trim().split(/\s+/u);
    return local?.endsWith(wanted) === true && inode !== undefined && inode !== "0" ? [inode] : [];
  });
}

function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return []; // it ended between two looks
  }
}

function linkOf(pid: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return ""; // as above
  }
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").slice(0, -1);
  } catch {
    return undefined; // as above
  }
}

function holderOf(processes: readonly HostProcess[], links: ReadonlySet<string>): number | undefined {
  let looked = 0;
  for (const { pid } of processes) {
    for (const descriptor of descriptorsOf(pid)) {
      if ((looked += 1) > linksMax) return undefined;
      if (links.has(linkOf(pid, descriptor))) return pid;
    }
  }
  return undefined;
}

/**
 * @param guardPid the sandbox's first process, as the host numbers it
 * @returns undefined when none was found
 */
export function processOfPort(guardPid: number, { protocol, port }: PortOwner): string | undefined {
  const lists = [protocol, `${protocol}6`].map((name) => readHead(`/proc/${guardPid}/net/${name}`));
  const links = new Set(lists.flatMap((list) => socketInodes(list, port)).map((inode) => `socket:[${inode}]`));
  if (links.size === 0) return undefined;
  // The youngest first: the guard's own processes, which perform the connect on a copy, are older than the command.
  const processes = treeOf(guardPid).filter(({ pid }) => pid !== guardPid);
  const holder = holderOf(
    processes.toSorted((left, right) => right.pid - left.pid),
    links,
  );
  return holder === undefined ? undefined : nameOf(holder);
}
