// The keys and tokens of a running broker, as files that only their owner can read: the command line finds them there.
import { randomBytes } from "node:crypto";
import { unlinkSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { sandboxIdSchema } from "../contracts/ids.ts";
import type { DoorHost, DoorKeys } from "./door-host.ts";

async function writeSecret(file: string, secret: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(secret);
  } finally {
    await handle.close();
  }
}

const secretPattern = /^[0-9a-f]{64}$/u;

async function readSecret(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, "latin1");
    return secretPattern.test(text) ? text : undefined;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const tokenFile = (directory: string, sandbox: string): string => path.join(directory, `${sandboxIdSchema.parse(sandbox)}.token`);

/** Of a broker that begins: what another left is worth nothing. */
export async function makeDoorFiles(directory: string): Promise<DoorHost["keys"]> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) await rm(path.join(directory, name), { force: true });
  const fresh = (): string => randomBytes(32).toString("hex");
  const keys = { open: fresh(), admin: fresh(), approve: fresh() };
  for (const [name, key] of Object.entries(keys)) await writeSecret(path.join(directory, `${name}.key`), key);
  return keys;
}

/** Undefined when no broker has made any. */
export async function readDoorKeys(directory: string): Promise<DoorKeys | undefined> {
  const [openKey, admin] = await Promise.all([readSecret(path.join(directory, "open.key")), readSecret(path.join(directory, "admin.key"))]);
  return openKey === undefined || admin === undefined ? undefined : { open: openKey, admin };
}

/** Apart from the others: who never answers never holds it. Undefined when no broker has made one. */
export const readApproveKey = (directory: string): Promise<string | undefined> => readSecret(path.join(directory, "approve.key"));

export const keepToken = (directory: string, sandbox: string, token: string): Promise<void> =>
  writeSecret(tokenFile(directory, sandbox), token);
/** At once: whoever hears that the sandbox ended finds no token of it any more. */
export function dropToken(directory: string, sandbox: string): void {
  try {
    unlinkSync(tokenFile(directory, sandbox));
  } catch {
    // gone, or worth nothing and the next broker's to clear away
  }
}

/** Undefined for an id that is none, and for a sandbox that is not (any more) there. */
export async function readToken(directory: string, sandbox: string): Promise<string | undefined> {
  return sandboxIdSchema.safeParse(sandbox).success ? readSecret(tokenFile(directory, sandbox)) : undefined;
}
