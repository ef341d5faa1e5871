// The front of this room: proves the answer sheet by probes inside and a look from the host, instead of repeating the configuration.
import type { Checklist, Proof, ProofReport, WallName } from "../contracts/proof.ts";
import { judgeChecklist } from "./checklist.ts";
import { type Draft, finishDraft } from "./draft.ts";
import { judgeReads, judgeWrites } from "./judge-files.ts";
import { judgeConnects, judgeIdentity, judgeWalls } from "./judge-process.ts";
import { judgeKept, judgeRecord } from "./judge-record.ts";
import { observeFailures } from "./observe-failures.ts";
import { makeProvingGround, type ProvingGround } from "./proving-ground.ts";
import { type ProofParts, runProbes, type Seen } from "./run-probes.ts";

export { runChallenge } from "./challenge.ts";
export type { ProofParts } from "./run-probes.ts";

/** Walls that a claim of their own showed; a wall of which one claim fails does not stand. */
export function standingWalls(drafts: readonly Draft[]): ReadonlySet<WallName> {
  const own = drafts.filter(({ walls }) => walls.length === 1);
  const named = new Set(own.flatMap(({ walls }) => walls));
  return new Set([...named].filter((wall) => own.every(({ walls, verdict }) => !walls.includes(wall) || verdict === "held")));
}

/** What the opening record promised: whose uid the host would see. */
function promisedUid(seen: Seen): number | undefined {
  const uid = seen.records.find(({ type }) => type === "execution.opened")?.body["hostUid"];
  return typeof uid === "number" ? uid : undefined;
}

async function judge(seen: Seen, parts: ProofParts): Promise<readonly Proof[]> {
  const { home, uid } = parts.user;
  const drafts = [
    ...judgeReads(seen, home),
    ...(await judgeWrites(seen, uid)),
    ...judgeConnects(seen),
    ...judgeIdentity(seen, promisedUid(seen)),
    ...judgeRecord(seen),
    ...judgeKept(seen),
    ...judgeWalls(seen),
  ];
  const standing = standingWalls(drafts);
  return drafts.map((draft) => finishDraft(draft, standing));
}

interface Proved {
  readonly seen: Seen;
  readonly proofs: readonly Proof[];
}

async function proveIn(parts: ProofParts, ground: ProvingGround): Promise<Proved> {
  const seen = await runProbes(parts, ground);
  return { seen, proofs: await judge(seen, parts) };
}

/** @throws what the ordinary way in throws when a sandbox does not open under this policy */
export async function proveSheet(parts: ProofParts): Promise<ProofReport> {
  await using ground = await makeProvingGround();
  const { seen, proofs } = await proveIn(parts, ground);
  return {
    holds: proofs.every(({ verdict }) => verdict === "held"),
    policyHash: seen.policy.hash,
    task: seen.result.task,
    proofs,
    missingWalls: [...new Set(proofs.flatMap(({ missing }) => missing))],
  };
}

/** @throws like proveSheet */
export async function checkPoints(parts: ProofParts): Promise<Checklist> {
  await using ground = await makeProvingGround();
  const { seen, proofs } = await proveIn(parts, ground);
  return judgeChecklist({ seen, proofs, failures: await observeFailures(parts, ground) });
}
