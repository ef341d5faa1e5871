// How many questions of one user are open at once, over all brokers of a state directory: one file for each, named for the process that asks,
// so that a question whose asker died counts no more. INVARIANT I-09
import { mkdir, open, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { ApprovalId } from "../contracts/ids.ts";
import { processStartTime } from "../kit/process-identity.ts";

export interface PendingClaim {
  release(): Promise<void>;
}

const claimName = /^(q-[0-9a-f-]+)\.(\d+)\.(\d+)$/u;

async function isAlive(name: string): Promise<boolean> {
  const match = claimName.exec(name);
  return match !== null && (await processStartTime(Number(match[2]))) === match[3];
}

/**
 * @param directory made 0700 when missing
 * @returns undefined when more than `maximum` would be open. Two that ask at the same moment may both be turned away, never both let in too many.
 */
export async function claimPending(
  directory: string,
  id: ApprovalId,
  limits: { readonly maximum: number; readonly owner: { readonly pid: number; readonly startTime: string } },
): Promise<PendingClaim | undefined> {
  const { maximum, owner } = limits;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${id}.${owner.pid}.${owner.startTime}`);
  const release = (): Promise<void> => rm(file, { force: true });
  await (await open(file, "wx", 0o600)).close();
  const names = await readdir(directory);
  const alive = await Promise.all(names.map(isAlive));
  for (const [index, name] of names.entries()) if (alive[index] === false) await rm(path.join(directory, name), { force: true });
  if (alive.filter(Boolean).length <= maximum) return { release };
  await release();
  return undefined;
}
