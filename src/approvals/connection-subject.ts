// What a person's answer about connections is bound to, as one digest: another task, place, protocol or policy is another question.
import type { ConnectionQuestion } from "../contracts/approval.ts";
import { type Digest, digestSchema } from "../contracts/ids.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { sha256Digest } from "../kit/digest.ts";

export type ConnectionSubject = Pick<ConnectionQuestion, "task" | "host" | "port" | "protocols" | "ruleId" | "policyHash">;

export function connectionDigest({ task, host, port, protocols, ruleId, policyHash }: ConnectionSubject): Digest {
  const bound = { kind: "connection", task, host, port, protocols: protocols.toSorted(), rule: ruleId ?? null, policyHash };
  return digestSchema.parse(sha256Digest(canonicalJson(bound)));
}
