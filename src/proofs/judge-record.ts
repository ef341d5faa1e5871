// Judges what the ledger says of the probes, and what is left of them afterwards.
import { type Draft, say } from "./draft.ts";
import type { Seen } from "./run-probes.ts";

/** In this order; others may stand between. INVARIANT I-01 */
const promised = ["policy.decision", "execution.opened", "execution.ended", "execution.closed", "result.returned"] as const;

function isInOrder(types: readonly string[]): boolean {
  const places = promised.map((type) => types.indexOf(type));
  return places.every((place, index) => place >= 0 && (index === 0 || place > (places[index - 1] ?? -1)));
}

function recorded(seen: Seen): Draft {
  const types = seen.records.map(({ type }) => type);
  const holds = isInOrder(types);
  return {
    id: "happened.records",
    question: "happened",
    claim: say("proof.claim.records"),
    probe: say("proof.probe.run"),
    inside: say("proof.inside.ended", { code: seen.result.exitCode }),
    host: say("proof.host.records", { count: types.length, types: types.join(", ") }),
    verdict: holds ? "held" : "not-held",
    walls: ["broker"],
  };
}

function verified(seen: Seen): Draft {
  const { exit, records, treeHeads } = seen.verified;
  return {
    id: "happened.verified",
    question: "happened",
    claim: say("proof.claim.verified"),
    probe: say("proof.probe.verify"),
    inside: say("proof.inside.none"),
    host: say("proof.host.verified", { exit, records, treeHeads }),
    verdict: exit === 0 && records > 0 ? "held" : "not-held",
    walls: ["ledger"],
  };
}

/** The number of refused calls is the guard's claim; that the record has them is evidence. */
function refusalsRecorded(seen: Seen): readonly Draft[] {
  const record = seen.records.find(({ type }) => type === "execution.refused-calls");
  const isExpected = [...seen.answers.keys()].some((id) => id.startsWith("write.protected."));
  if (!isExpected) return [];
  const total = Number(record?.body["total"] ?? 0);
  return [
    {
      id: "happened.refusals",
      question: "happened",
      claim: say("proof.claim.refusals"),
      probe: say("proof.probe.plant"),
      inside: say("proof.inside.none"),
      host: say("proof.host.refusals", { total }),
      verdict: total > 0 ? "held" : "not-held",
      walls: ["mediator"],
    },
  ];
}

export function judgeRecord(seen: Seen): readonly Draft[] {
  return [recorded(seen), verified(seen), ...refusalsRecorded(seen)];
}

/** A child that left its session was there while the probe paused, and nothing is afterwards. INVARIANT I-09 */
export function judgeKept(seen: Seen): readonly Draft[] {
  const wasThere = seen.daemon !== undefined;
  const isGone = seen.leftProcesses === 0;
  return [
    {
      id: "kept.processes",
      question: "kept",
      claim: say("proof.claim.nothing-left"),
      probe: say("proof.probe.daemon"),
      inside: say(wasThere ? "proof.inside.daemon" : "proof.inside.silent"),
      host: say("proof.host.left", { count: seen.leftProcesses }),
      verdict: isGone ? (wasThere ? "held" : "not-probed") : "not-held",
      walls: ["broker"],
    },
  ];
}
