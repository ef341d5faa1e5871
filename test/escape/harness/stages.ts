// The common ways to stage an attack and to see from the host whether it worked.
import { lstat, readFile } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../../src/contracts/glovebox-error.ts";
import type { Attack } from "./attack.ts";
import type { Ground } from "./ground.ts";

type StageMaker = Attack["stage"];

/** Content of a host file, or undefined when there is none. */
export async function hostContent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "latin1");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export async function hostHas(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The program gets the canary file's path (and `more`); the attack worked when the canary came out with the output. */
export const readsCanary =
  (file: string, more: (ground: Ground) => readonly string[] = () => []): StageMaker =>
  ({ ground }) => {
    const target = path.join(ground.root, file);
    const canary = ground.canaryOf(target);
    return { arguments: [target, ...more(ground)], succeeded: (run) => run.output.includes(canary) };
  };

/** The program gets the paths; the attack worked when the first one's content or identity on the host is another one afterwards. */
export const changesFile =
  (file: string, more: (ground: Ground) => readonly string[] = () => []): StageMaker =>
  async ({ ground }) => {
    const target = path.join(ground.root, file);
    const before = await hostContent(target);
    return { arguments: [target, ...more(ground)], succeeded: async () => (await hostContent(target)) !== before };
  };

/** Mode, owner, times, attributes: all of them move the change time, also where no other field shows it. */
export const changesMetadata =
  (file: string, more: (ground: Ground) => readonly string[] = () => []): StageMaker =>
  async ({ ground }) => {
    const target = path.join(ground.root, file);
    const before = await lstat(target, { bigint: true });
    return {
      arguments: [target, ...more(ground)],
      succeeded: async () => (await lstat(target, { bigint: true })).ctimeNs !== before.ctimeNs,
    };
  };

/** The program gets a path that does not exist; the attack worked when the host has it afterwards. */
export const makesFile =
  (file: string, more: (ground: Ground) => readonly string[] = () => []): StageMaker =>
  ({ ground }) => {
    const target = path.join(ground.root, file);
    return { arguments: [target, ...more(ground)], succeeded: () => hostHas(target) };
  };

/** For what only the kernel can grant: the program writes `proof` into the write root with what the kernel gave back. */
export const provesWith =
  (text: string, more: (ground: Ground) => readonly string[] = () => []): StageMaker =>
  ({ ground }) => {
    const proof = path.join(ground.out, "proof");
    return { arguments: [...more(ground), proof], succeeded: async () => ((await hostContent(proof)) ?? "").includes(text) };
  };
