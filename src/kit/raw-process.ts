// This process's arguments, environment and directory as the kernel holds them. Node decodes them as UTF-8 and replaces what is not: `rm $'\xff'`
// would remove another file than the one that was asked for.
import { readFileSync, readlinkSync } from "node:fs";
import { decodeByteText } from "./byte-text.ts";

function entries(file: string): readonly string[] {
  const bytes = readFileSync(file);
  const result: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    const stop = end === -1 ? bytes.length : end;
    result.push(decodeByteText(bytes.subarray(at, stop)));
    at = stop + 1;
  }
  return result;
}

/** @param decoded Node's view, which says how many arguments are ours: the last ones */
export function rawArguments(decoded: readonly string[]): readonly string[] {
  // Text without a replacement character was decoded without loss.
  if (!decoded.some((text) => text.includes("\uFFFD"))) return decoded;
  const raw = entries("/proc/self/cmdline");
  return raw.slice(raw.length - decoded.length);
}

/** Names that are not UTF-8 are left out: nothing can ask for them. */
export function rawEnvironment(decoded: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string | undefined>> {
  if (!Object.values(decoded).some((text) => text?.includes("\uFFFD") === true)) return decoded;
  const raw = new Map(entries("/proc/self/environ").map((entry) => [entry.split("=", 1)[0] ?? "", entry.slice(entry.indexOf("=") + 1)]));
  return Object.fromEntries(
    Object.entries(decoded).map(([name, value]) => [name, value === undefined ? undefined : (raw.get(name) ?? value)]),
  );
}

/** Undefined when the directory that the shell stands in was deleted. */
export function rawCurrentDirectory(): string | undefined {
  try {
    const decoded = process.cwd();
    return decoded.includes("\uFFFD") ? decodeByteText(readlinkSync("/proc/self/cwd", "buffer")) : decoded;
  } catch {
    return undefined; // the only thing that getcwd(3) can mean here
  }
}
