// What `glovebox init` replaced in the settings of other tools: one file of the state for each, owner's alone, until it is put back.
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { digestSchema } from "../contracts/ids.ts";
import type { ReplacedSettings } from "../contracts/settings-door.ts";
import { writeFileAtomically } from "../kit/atomic-file.ts";
import { sha256Hex } from "../kit/digest.ts";
import { lazily } from "../kit/lazily.ts";

const keptSchema = lazily(() =>
  z.strictObject({
    version: z.literal(1),
    file: z.string().startsWith("/"),
    before: z.base64().nullable(),
    after: digestSchema,
    directories: z.array(z.string().startsWith("/")),
  }),
);

const placeOf = (directory: string, file: string): string => path.join(directory, `${sha256Hex(file).slice(0, 32)}.json`);

/** @param directory of the state @throws STATE_INSECURE for something that nobody kept */
export async function findReplaced(directory: string, file: string): Promise<ReplacedSettings | undefined> {
  const place = placeOf(directory, file);
  try {
    const kept = keptSchema().parse(JSON.parse(await readFile(place, "utf8")));
    const before = kept.before === null ? undefined : Buffer.from(kept.before, "base64");
    if (kept.file === file) return { file, before, after: kept.after, directories: kept.directories };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw new GloveboxError("STATE_INSECURE", "agent-init.record-unreadable", { values: { file: place }, cause: error });
  }
  throw new GloveboxError("STATE_INSECURE", "agent-init.record-unreadable", { values: { file: place } });
}

export async function keepReplaced(directory: string, replaced: ReplacedSettings): Promise<void> {
  const { file, before, after, directories } = replaced;
  const kept = { version: 1, file, before: before === undefined ? null : Buffer.from(before).toString("base64"), after, directories };
  await writeFileAtomically(placeOf(directory, file), `${JSON.stringify(kept)}\n`, 0o600);
}

export async function forgetReplaced(directory: string, file: string): Promise<void> {
  await rm(placeOf(directory, file), { force: true });
}
