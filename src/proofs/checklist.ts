// The ten points, each judged by evidence made now: proofs, recorded failures, or the plain word that something is not built.
import { readFileSync } from "node:fs";
import type { Checklist, ChecklistPoint, Proof } from "../contracts/proof.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { say } from "./draft.ts";
import type { FailureRecords } from "./observe-failures.ts";
import type { Seen } from "./run-probes.ts";

export interface ChecklistInput {
  readonly proofs: readonly Proof[];
  readonly seen: Seen;
  readonly failures: FailureRecords;
}

type Part = Omit<ChecklistPoint, "number" | "title">;

/** Held only when there is at least one such proof and every one holds. */
function byProofs({ proofs }: ChecklistInput, prefixes: readonly string[], more: readonly Sentence[] = []): Part {
  const chosen = proofs.filter(({ id }) => prefixes.some((prefix) => id.startsWith(prefix)));
  const failed = chosen.filter(({ verdict }) => verdict !== "held");
  const isEach = prefixes.every((prefix) => chosen.some(({ id }) => id.startsWith(prefix)));
  const evidence = failed.map(({ id }) => say("checklist.failed", { id }));
  const count = say("checklist.proofs", { held: chosen.length - failed.length, all: chosen.length, ids: prefixes.join(", ") });
  const claims = chosen.filter(({ verdict }) => verdict === "held").map(({ claim }) => claim);
  const shown = claims.filter((claim, index) => claims.findIndex(({ key }) => key === claim.key) === index);
  return { verdict: isEach && failed.length === 0 ? "held" : "not-held", evidence: [count, ...evidence, ...shown, ...more] };
}

const promisedLimits = ["cpuTime", "memory", "processes", "disk", "output", "wall"] as const;

/** What the opening record says keeps each limit, and that two of them were reached on purpose just now. */
function limits(input: ChecklistInput): Part {
  const { seen, failures } = input;
  const held = seen.result.sheet.answers.find(({ question }) => question === "held")?.lines ?? [];
  const lines = held.filter(({ values }) => values?.["limit"] !== undefined);
  const isKept = promisedLimits.every((name) => lines.some(({ values }) => values?.["limit"] === name));
  const isReached = failures.timeout === "wall" && failures.exhaustion === "output";
  const { verdict, evidence } = byProofs(input, ["held.open-files"], lines);
  const reached = say("checklist.limits-reached", { timeout: failures.timeout ?? "-", exhaustion: failures.exhaustion ?? "-" });
  return { verdict: verdict === "held" && isKept && isReached ? "held" : "not-held", evidence: [...evidence, reached] };
}

function hostText(file: string): string {
  try {
    return readFileSync(file, "latin1").trim();
  } catch {
    return ""; // absent or not ours to read: then nothing is said to be there
  }
}

function securityModules({ probe }: Seen): Sentence {
  const hasAppArmor = hostText("/sys/module/apparmor/parameters/enabled") === "Y";
  const hasSelinux = hostText("/sys/fs/selinux/enforce") !== "";
  const names = [...(hasAppArmor ? ["AppArmor"] : []), ...(hasSelinux ? ["SELinux"] : [])];
  if (names.length === 0) return say("checklist.no-host-modules");
  return say("checklist.host-modules", { names: names.join(", "), label: probe?.securityLabel || "-" });
}

/** Names that carry long-lived keys of clouds and engines. */
const cloudNames = /^(?:AWS_(?:ACCESS|SECRET|SESSION)|GOOGLE_APPLICATION|AZURE_|KUBECONFIG|DOCKER_HOST|GITHUB_TOKEN|GH_TOKEN)/u;

function exposure(input: ChecklistInput): Part {
  const { probe } = input.seen;
  const names = (probe?.environment ?? []).map((entry) => entry.split("=")[0] ?? "").filter((name) => cloudNames.test(name));
  const found = names.length === 0 ? say("checklist.no-cloud-names") : say("checklist.cloud-names", { names: names.join(", ") });
  const more = [say("proof.host.engines", { count: input.seen.engines.length }), found, say("checklist.leases-not-built")];
  const part = byProofs(input, ["read.home", "connect.engines", "held.capabilities"], more);
  return names.length === 0 ? part : { ...part, verdict: "not-held" };
}

/** A way out of the sandbox was asked for with nobody there: it has to be refused, and the record has to say so. */
function approvals({ failures, seen }: ChecklistInput): Part {
  const { code, isRecorded } = failures.denial;
  const isRefused = code === "POLICY_DENIED" || code === "APPROVAL_UNAVAILABLE";
  const evidence = [
    say("checklist.outside-refused", { code }),
    say(isRecorded ? "checklist.outside-recorded" : "checklist.outside-unrecorded"),
    say(seen.policy.allowUnsandboxed ? "checklist.unsandboxed-asks" : "checklist.unsandboxed-closed"),
  ];
  return { verdict: isRefused && isRecorded ? "held" : "not-held", evidence };
}

function observable(input: ChecklistInput): Part {
  const { failure, timeout, exhaustion, denial } = input.failures;
  const isSeen = failure === 7 && timeout === "wall" && exhaustion === "output" && denial.isRecorded;
  const found = say("checklist.observed", {
    failure: failure ?? "-",
    timeout: timeout ?? "-",
    exhaustion: exhaustion ?? "-",
    denial: denial.code,
  });
  const part = byProofs(input, ["happened.records", "happened.verified"], [found, say("checklist.replay-not-built")]);
  return isSeen ? part : { ...part, verdict: "not-held" };
}

/** Where nothing can be written, nothing can be planted, and nothing of it was tried. */
function untrusted(input: ChecklistInput): Part {
  const isTried = input.proofs.some(({ id }) => id.startsWith("write.protected"));
  return byProofs(input, ["held.daemon", ...(isTried ? ["write.protected"] : [])], [say("checklist.same-walls")]);
}

export function judgeChecklist(input: ChecklistInput): Checklist {
  const gate = say("checklist.gate-rules");
  const kernel = [say("checklist.shared-kernel")];
  const points: readonly [string, Part][] = [
    ["checklist.title.broker", byProofs(input, ["happened.records"])],
    ["checklist.title.paths", byProofs(input, ["read.", "write."])],
    ["checklist.title.network", byProofs(input, ["connect."], [gate])],
    ["checklist.title.limits", limits(input)],
    [
      "checklist.title.layers",
      byProofs(input, ["held.seccomp", "held.capabilities", "held.no-new-privs", "held.landlock"], [securityModules(input.seen)]),
    ],
    ["checklist.title.untrusted", untrusted(input)],
    ["checklist.title.exposure", exposure(input)],
    ["checklist.title.approvals", approvals(input)],
    ["checklist.title.tenants", { verdict: "not-built", evidence: kernel }],
    ["checklist.title.observable", observable(input)],
  ];
  return {
    holds: points.every(([, { verdict }]) => verdict !== "not-held"),
    policyHash: input.seen.policy.hash,
    points: points.map(([key, part], index) => ({ number: index + 1, title: say(key), ...part })),
  };
}
