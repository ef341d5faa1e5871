// Judges what the host's kernel said of the probe while it paused: its walls, its network, its identity.
import type { WallName } from "../contracts/proof.ts";
import { type Draft, insideOf, say, verdictOf } from "./draft.ts";
import { namespaceNames, type ProcessLook } from "./look-at-process.ts";
import type { Seen } from "./run-probes.ts";

interface Look {
  readonly id: string;
  readonly question: Draft["question"];
  readonly claim: Draft["claim"];
  readonly host: Draft["host"];
  readonly holds: boolean;
  readonly walls: readonly WallName[];
}

/** A claim that the host judges alone: nothing inside had to answer, but the process must have been seen. */
function looked(seen: Seen, look: Look): Draft {
  const { id, question, claim, walls } = look;
  const wasSeen = seen.probe !== undefined && seen.self !== undefined;
  return {
    id,
    question,
    claim,
    probe: say("proof.probe.pause"),
    inside: say("proof.inside.paused"),
    host: wasSeen ? look.host : say("proof.host.unseen"),
    verdict: wasSeen ? (look.holds ? "held" : "not-held") : "not-probed",
    walls,
  };
}

function sharedNamespaces({ probe, self }: Seen): readonly string[] {
  return namespaceNames.filter((name) => {
    const inside = probe?.namespaces[name] ?? "";
    return inside === "" || inside === self?.namespaces[name];
  });
}

function namespaces(seen: Seen): Draft {
  const shared = sharedNamespaces(seen);
  const host =
    shared.length === 0
      ? say("proof.host.namespaces-own", { names: namespaceNames.join(", ") })
      : say("proof.host.namespaces-shared", { names: shared.join(", ") });
  return looked(seen, {
    id: "held.namespaces",
    question: "held",
    claim: say("proof.claim.namespaces"),
    host,
    holds: shared.length === 0,
    walls: ["bubblewrap"],
  });
}

function capabilities(seen: Seen): Draft {
  const set = seen.probe?.capabilities ?? "unseen";
  return looked(seen, {
    id: "held.capabilities",
    question: "held",
    claim: say("proof.claim.capabilities"),
    host: say("proof.host.capabilities", { set }),
    holds: set === "0",
    walls: ["bubblewrap"],
  });
}

/** Another filter than ours may be there already: in a container, say. */
function hasFilter(look: ProcessLook | undefined, self: ProcessLook | undefined): boolean {
  return look !== undefined && self !== undefined && look.seccompMode === 2 && look.seccompFilters > self.seccompFilters;
}

function seccomp(seen: Seen): Draft {
  const { probe, self } = seen;
  return looked(seen, {
    id: "held.seccomp",
    question: "held",
    claim: say("proof.claim.seccomp"),
    host: say("proof.host.seccomp", { filters: probe?.seccompFilters ?? 0, ours: self?.seccompFilters ?? 0 }),
    holds: hasFilter(probe, self),
    walls: ["seccomp"],
  });
}

function noNewPrivs(seen: Seen): Draft {
  const holds = seen.probe?.hasNoNewPrivs === true;
  return looked(seen, {
    id: "held.no-new-privs",
    question: "held",
    claim: say("proof.claim.no-new-privs"),
    host: say("proof.host.no-new-privs", { value: holds ? 1 : 0 }),
    holds,
    walls: ["no_new_privs"],
  });
}

/** What permissions and mounts allow and the kernel refuses all the same. */
function landlock(seen: Seen): Draft {
  const id = "held.landlock";
  const said = seen.answers.get(id)?.said.trim() ?? "";
  const host =
    said === "refused" ? "proof.host.landlock-refused" : said === "made" ? "proof.host.landlock-made" : "proof.host.landlock-untried";
  const verdict = verdictOf(seen, id, said !== "made");
  return {
    id,
    question: "held",
    claim: say("proof.claim.landlock"),
    probe: say("proof.probe.landlock"),
    inside: insideOf(seen, id),
    host: say(host),
    verdict: said === "none" ? "not-probed" : verdict,
    walls: ["landlock"],
  };
}

/** A child that left the session is under the same walls. INVARIANT I-03 */
function daemonHeld(seen: Seen): Draft {
  const { probe, daemon, self } = seen;
  const isSame = namespaceNames.every((name) => daemon?.namespaces[name] === probe?.namespaces[name]);
  const isHeld =
    hasFilter(daemon, self) && daemon?.hasNoNewPrivs === true && daemon.capabilities === "0" && sharedNamespaces(seen).length === 0;
  const holds = isSame && isHeld;
  return looked(seen, {
    id: "held.daemon",
    question: "held",
    claim: say("proof.claim.daemon"),
    host: say(holds ? "proof.host.daemon-held" : "proof.host.daemon-free"),
    holds,
    walls: ["bubblewrap", "seccomp", "no_new_privs"],
  });
}

function openFiles(seen: Seen): Draft {
  const allowed = String(seen.policy.limits.openFiles);
  const found = seen.probe?.openFilesMaximum ?? "";
  return looked(seen, {
    id: "held.open-files",
    question: "held",
    claim: say("proof.claim.open-files", { allowed }),
    host: say("proof.host.open-files", { found }),
    // A machine whose own ceiling is lower holds the task to less.
    holds: found !== "" && Number(found) <= Number(allowed),
    walls: ["limits"],
  });
}

export function judgeWalls(seen: Seen): readonly Draft[] {
  return [namespaces(seen), capabilities(seen), noNewPrivs(seen), seccomp(seen), landlock(seen), daemonHeld(seen), openFiles(seen)];
}

/** The application's end of the pair that leads into the captive network. */
const captiveInterface = "eth0";

/** Where something may leave, the way out is the captive network, which leads to the gate alone. */
function interfaces(seen: Seen): Draft {
  const { egress } = seen.policy;
  const opens = egress.unruled === "ask" || egress.local.length > 0 || egress.rules.some(({ verdict }) => verdict !== "deny");
  const found = seen.probe?.interfaces ?? [];
  const others = found.filter((name) => name !== "lo" && !(opens && name === captiveInterface));
  return looked(seen, {
    id: "connect.interfaces",
    question: "connect",
    claim: say(opens ? "proof.claim.interfaces-gate" : "proof.claim.interfaces"),
    host: say("proof.host.interfaces", { names: found.join(", ") }),
    holds: found.includes("lo") && others.length === 0,
    walls: ["bubblewrap"],
  });
}

export function judgeConnects(seen: Seen): readonly Draft[] {
  const ears = seen.ears.map(({ protocol, address, port, isReached, heard }, index): Draft => {
    const id = `connect.${index}`;
    const holds = heard() === "";
    return {
      id,
      question: "connect",
      claim: say("proof.claim.loopback", { protocol, address }),
      probe: say("proof.probe.connect", { protocol, address, port }),
      inside: insideOf(seen, id),
      host: say(holds ? "proof.host.silence" : "proof.host.heard", { protocol, address, port }),
      verdict: holds && !isReached ? "not-probed" : verdictOf(seen, id, holds),
      walls: ["bubblewrap"],
    };
  });
  return [...ears, interfaces(seen), engines(seen)];
}

function engines(seen: Seen): Draft {
  const id = "connect.engines";
  const names = seen.answers.get(id)?.said.trim() ?? "";
  return {
    id,
    question: "connect",
    claim: say("proof.claim.engines"),
    probe: say("proof.probe.engines"),
    inside: insideOf(seen, id),
    host: names === "" ? say("proof.host.engines", { count: seen.engines.length }) : say("proof.host.engines-seen", { names }),
    verdict: verdictOf(seen, id, names === ""),
    walls: ["bubblewrap", "landlock"],
  };
}

/** The name of the canary variable passes where the policy's own patterns say so. */
function passesSecret({ policy, secret }: Seen): boolean {
  return policy.environment.pass.some((name) => (name.endsWith("*") ? secret.name.startsWith(name.slice(0, -1)) : name === secret.name));
}

/** A pipe that we do not hold ourselves was made for the sandbox; its own script is open too. */
function foreignDescriptors({ probe, self, ground }: Seen): readonly string[] {
  const ours = new Set(self?.descriptors);
  const isOwn = (target: string): boolean => (target.startsWith("pipe:[") && !ours.has(target)) || target.startsWith(`${ground.project}/`);
  return (probe?.descriptors ?? []).filter((target) => target !== "" && !isOwn(target));
}

export function judgeIdentity(seen: Seen, promisedUid: number | undefined): readonly Draft[] {
  const { probe } = seen;
  const identity = looked(seen, {
    id: "identity.uid",
    question: "identity",
    claim: say("proof.claim.uid", { uid: promisedUid ?? "?" }),
    host: say("proof.host.uid", { uid: probe?.uid ?? "?" }),
    holds: probe !== undefined && probe.uid === promisedUid,
    walls: ["bubblewrap"],
  });
  const foreign = foreignDescriptors(seen);
  const descriptors = looked(seen, {
    id: "identity.descriptors",
    question: "identity",
    claim: say("proof.claim.descriptors"),
    host: foreign.length === 0 ? say("proof.host.descriptors-own") : say("proof.host.descriptors-foreign", { names: foreign.join(", ") }),
    holds: foreign.length === 0 && (probe?.descriptors.length ?? 0) > 0,
    walls: ["broker"],
  });
  if (passesSecret(seen)) return [identity, descriptors];
  const isClean = probe?.environment.every((entry) => !entry.includes(seen.secret.value)) === true && probe.environment.length > 0;
  const environment = looked(seen, {
    id: "identity.environment",
    question: "identity",
    claim: say("proof.claim.environment"),
    host: say(isClean ? "proof.host.environment-clean" : "proof.host.environment-leaks", { name: seen.secret.name }),
    holds: isClean && !seen.output.includes(seen.secret.value),
    walls: ["broker"],
  });
  return [identity, descriptors, environment];
}
