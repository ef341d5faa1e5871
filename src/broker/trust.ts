// The user's list of project policies that may widen: each pinned by path and content digest, so that any edit revokes. INVARIANT I-15
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { digestSchema } from "../contracts/ids.ts";
import { writeFileAtomically } from "../kit/atomic-file.ts";
import { lazily } from "../kit/lazily.ts";

const trustSchema = lazily(() =>
  z.strictObject({
    version: z.literal(1),
    policies: z.array(z.strictObject({ file: z.string(), digest: digestSchema })),
  }),
);
type Trust = z.infer<ReturnType<typeof trustSchema>>;

async function readTrust(trustFile: string): Promise<Trust> {
  try {
    return trustSchema().parse(JSON.parse(await readFile(trustFile, "utf8")));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { version: 1, policies: [] };
    throw new GloveboxError("STATE_INSECURE", "trust.unreadable", { values: { file: trustFile }, cause: error });
  }
}

export async function isTrusted(trustFile: string, policy: { readonly file: string; readonly digest: string }): Promise<boolean> {
  const trust = await readTrust(trustFile);
  return trust.policies.some((pinned) => pinned.file === policy.file && pinned.digest === policy.digest);
}

/** Pins this content of this file, in place of an earlier pin of the same file. */
export async function pinTrust(trustFile: string, policy: { readonly file: string; readonly digest: string }): Promise<void> {
  const trust = await readTrust(trustFile);
  const others = trust.policies.filter((pinned) => pinned.file !== policy.file);
  const next: Trust = { version: 1, policies: [...others, { file: policy.file, digest: digestSchema.parse(policy.digest) }] };
  await writeFileAtomically(trustFile, `${JSON.stringify(next, null, 2)}\n`, 0o600);
}
