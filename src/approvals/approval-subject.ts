// What an approval is bound to, as one digest: change any of it and the digest is another.
import { createHmac } from "node:crypto";
import type { ApprovalKind, BoundFile, NotBound } from "../contracts/approval.ts";
import { type Digest, digestSchema } from "../contracts/ids.ts";
import { encodeByteText } from "../kit/byte-text.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { sha256Digest } from "../kit/digest.ts";

export interface ApprovalSubject {
  readonly kind: ApprovalKind;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly ruleId: string | undefined;
  readonly files: readonly BoundFile[];
  readonly notBound: readonly NotBound[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policyHash: string;
}

/** Words may hold any bytes, and two of them must never look alike. */
const exactly = (word: string): string => encodeByteText(word).toString("hex");

/** @param key of this approval alone, so that the digest of a value tells nothing about it to whoever does not hold the key */
export function subjectDigest(subject: ApprovalSubject, key: Uint8Array): Digest {
  const { kind, argv, cwd, ruleId, files, notBound, environment, policyHash } = subject;
  const keyed = (value: string): string => createHmac("sha256", key).update(encodeByteText(value)).digest("hex");
  const text = canonicalJson({
    kind,
    argv: argv.map(exactly),
    cwd: exactly(cwd),
    rule: ruleId ?? null,
    files: files.map(({ role, path, digest }) => ({ role, path: exactly(path), digest })),
    notBound: notBound.map(({ what, name }) => ({ what, name: exactly(name) })),
    environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, keyed(value)])),
    policyHash,
  });
  return digestSchema.parse(sha256Digest(text));
}
