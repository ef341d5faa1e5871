// Where torn bytes go before a file is cut: nothing is ever thrown away. A kept tail is `.pending` until the log says so.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { digestSchema } from "../contracts/ids.ts";
import { sha256Digest } from "../kit/digest.ts";
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";
import { placeFile } from "./state-directory.ts";
import { type PreparedRecord, ownRecord } from "./stored-bytes.ts";

const pendingSuffix = ".pending";

/** Kept tails that no record mentions yet: an earlier recovery died between cutting and recording. */
export function pendingTails(layout: Layout): readonly string[] {
  const names = readdirSync(layout.quarantine).filter((name) => name.endsWith(`.bin${pendingSuffix}`));
  return names.toSorted().map((name) => path.join(layout.quarantine, name));
}

/** Keeps `torn` on the device. @returns the pending file; an equal one that is there already serves as well */
export async function keepTail(layout: Layout, options: { files: DurableFiles; torn: Buffer; wallMs: number }): Promise<string> {
  const { files, torn, wallMs } = options;
  const equal = pendingTails(layout).find((file) => readFileSync(file).equals(torn));
  if (equal !== undefined) return equal;
  const stamp = new Date(wallMs).toISOString().replaceAll(/[-:.]/gu, "");
  const taken = new Set(readdirSync(layout.quarantine).map((name) => name.replace(pendingSuffix, "")));
  let name = `torn-${stamp}.bin`;
  for (let count = 1; taken.has(name); count += 1) name = `torn-${stamp}-${count}.bin`;
  const file = path.join(layout.quarantine, `${name}${pendingSuffix}`);
  await placeFile(files, file, torn);
  await files.syncPath(layout.quarantine);
  return file;
}

/** The record that says a tail was kept. */
export function recoveredRecord(pendingFile: string): PreparedRecord {
  const torn = readFileSync(pendingFile);
  return ownRecord("log.recovered", { tornBytes: torn.length, tornDigest: digestSchema.parse(sha256Digest(torn)) });
}

/** After the record is on the device. */
export function settleTail(files: DurableFiles, pendingFile: string): void {
  files.rename(pendingFile, pendingFile.slice(0, -pendingSuffix.length));
}
