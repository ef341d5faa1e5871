// The machine's own names, as its hosts file has them: the gate has no files, and does not ask the C library.
import { readFile } from "node:fs/promises";
import { canonicalHost, showHost } from "../kit/host-name.ts";
import { parseIpAddress, showIpAddress } from "../kit/ip-address.ts";

/** More is somebody's block list. */
const mostBytes = 1 << 20;

/** Name -> addresses. What is no name or no address is left out. */
export function parseHosts(text: string): Readonly<Record<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const line of text.slice(0, mostBytes).split("\n")) {
    const [first = "", ...names] = line.replace(/#.*/u, "").trim().split(/\s+/u);
    const address = parseIpAddress(first);
    if (address === undefined) continue;
    for (const name of names) {
      const host = canonicalHost(name);
      if (host?.kind !== "name") continue;
      found.set(showHost(host), [...(found.get(showHost(host)) ?? []), showIpAddress(address)]);
    }
  }
  return Object.fromEntries(found);
}

/** Empty where there is none. */
export async function readHostsFile(file: string): Promise<Readonly<Record<string, string[]>>> {
  return parseHosts(await readFile(file, "utf8").catch(() => ""));
}
