// Judges what the probes could read and write, by the canaries and files that the host sees.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { type Draft, insideOf, say, verdictOf } from "./draft.ts";
import { type Bait, contentOf } from "./proving-ground.ts";
import { plantedNames, writeRootOf } from "./probe-steps.ts";
import type { Seen } from "./run-probes.ts";

const outerAndInner = ["bubblewrap", "landlock"] as const;

function unread(seen: Seen, id: string, bait: Bait, claim: Draft["claim"]): Draft {
  const holds = !seen.output.includes(bait.canary);
  return {
    id,
    question: "read",
    claim,
    probe: say("proof.probe.read", { path: bait.file }),
    inside: insideOf(seen, id),
    host: say(holds ? "proof.host.canary-absent" : "proof.host.canary-came-out", { path: bait.file }),
    verdict: verdictOf(seen, id, holds),
    walls: outerAndInner,
  };
}

function allowedRead(seen: Seen): Draft {
  const { allowed } = seen.baits;
  const holds = seen.output.includes(allowed.canary);
  return {
    id: "read.allowed",
    question: "read",
    claim: say("proof.claim.read-allowed"),
    probe: say("proof.probe.read", { path: allowed.file }),
    inside: insideOf(seen, "read.allowed"),
    host: say(holds ? "proof.host.canary-came-out" : "proof.host.canary-absent", { path: allowed.file }),
    verdict: verdictOf(seen, "read.allowed", holds),
    walls: [],
  };
}

/** Names of the home that nothing opens and that were seen inside all the same. */
function strayNames(seen: Seen, home: string): readonly string[] {
  const shown = new Set((seen.answers.get("read.home")?.said ?? "").split("/"));
  const { allowRead, allowWrite } = seen.policy.paths;
  const opened = [...allowRead, ...allowWrite, ...openedPlaces(seen), seen.ground.root];
  const isOpened = (name: string): boolean => {
    const place = path.join(home, name);
    return opened.some((other) => other === place || other.startsWith(`${place}/`) || place.startsWith(`${other}/`));
  };
  return seen.homeNames.filter((name) => shown.has(name) && !isOpened(name));
}

/** What the opening record says is shown: toolchains, for one. */
function openedPlaces(seen: Seen): readonly string[] {
  const read = seen.result.sheet.answers.find(({ question }) => question === "read")?.lines ?? [];
  return read.flatMap(({ key, values }) => (key === "task.read.path" ? String(values?.["path"] ?? "") : []));
}

function homeClosed(seen: Seen, home: string): Draft {
  const stray = strayNames(seen, home);
  const holds = stray.length === 0;
  const count = seen.homeNames.length;
  return {
    id: "read.home",
    question: "read",
    claim: say("proof.claim.home"),
    probe: say("proof.probe.list", { path: home }),
    inside: insideOf(seen, "read.home"),
    host: holds ? say("proof.host.home-closed", { count }) : say("proof.host.home-seen", { names: stray.slice(0, 5).join(", ") }),
    verdict: verdictOf(seen, "read.home", holds),
    walls: outerAndInner,
  };
}

function secretFiles(seen: Seen): readonly Draft[] {
  return seen.systemSecrets.map(({ file, content }, index) =>
    unread(
      seen,
      `read.secret.${index}`,
      { file, canary: content.split("\n")[0] ?? content },
      say("proof.claim.system-secret", { path: file }),
    ),
  );
}

export function judgeReads(seen: Seen, home: string): readonly Draft[] {
  const denied = seen.baits.deniedRead.map((bait, index) =>
    unread(seen, `read.denied.${index}`, bait, say("proof.claim.read-denied", { path: bait.file })),
  );
  const beside = unread(seen, "read.outside", seen.baits.outside, say("proof.claim.read-outside"));
  return [allowedRead(seen), beside, homeClosed(seen, home), ...denied, ...secretFiles(seen)];
}

interface Unwritten {
  readonly id: string;
  readonly file: string;
  /** What it held before; undefined: it did not exist. */
  readonly before: string | undefined;
  readonly claim: Draft["claim"];
  readonly walls: Draft["walls"];
}

async function unwritten(seen: Seen, { id, file, before, claim, walls }: Unwritten): Promise<Draft> {
  const holds = (await contentOf(file)) === before;
  const held = before === undefined ? "proof.host.absent" : "proof.host.unchanged";
  return {
    id,
    question: "write",
    claim,
    probe: say("proof.probe.write", { path: file }),
    inside: insideOf(seen, id),
    host: say(holds ? held : "proof.host.changed", { path: file }),
    verdict: verdictOf(seen, id, holds),
    walls,
  };
}

async function writeRoot(seen: Seen, root: string, uid: number): Promise<Draft> {
  const file = path.join(root, "made");
  const owner = (await lstat(file).catch(() => undefined))?.uid;
  const holds = (await contentOf(file)) === "probe\n" && owner === uid;
  return {
    id: "write.root",
    question: "write",
    claim: say("proof.claim.write-root"),
    probe: say("proof.probe.write", { path: file }),
    inside: insideOf(seen, "write.root"),
    host: holds ? say("proof.host.made", { path: file, uid }) : say("proof.host.not-made", { path: file }),
    verdict: verdictOf(seen, "write.root", holds),
    walls: [],
  };
}

export async function judgeWrites(seen: Seen, uid: number): Promise<readonly Draft[]> {
  const { ground, policy, baits } = seen;
  const root = writeRootOf(ground, policy);
  const lineOf = (bait: Bait): string => `${bait.canary}\n`;
  const beside = { before: undefined, walls: outerAndInner };
  const attempts: Unwritten[] = [
    {
      id: "write.outside",
      file: baits.outside.file,
      before: lineOf(baits.outside),
      claim: say("proof.claim.write-outside"),
      walls: outerAndInner,
    },
    { id: "write.beside", file: path.join(ground.outside, "made"), claim: say("proof.claim.make-outside"), ...beside },
    ...(root === ground.project
      ? []
      : [{ id: "write.project", file: path.join(ground.project, "made"), claim: say("proof.claim.write-project"), ...beside }]),
    ...baits.deniedWrite.map((bait, index) => ({
      id: `write.denied.${index}`,
      file: bait.file,
      before: lineOf(bait),
      claim: say("proof.claim.write-denied", { path: bait.file }),
      walls: outerAndInner,
    })),
    ...(root === undefined ? [] : plantedNames).map((name, index) => ({
      id: `write.protected.${index}`,
      file: path.join(root ?? "", name),
      before: undefined,
      claim: say("proof.claim.protected", { name }),
      walls: ["landlock", "mediator"] as const,
    })),
  ];
  const judged = await Promise.all(attempts.map((attempt) => unwritten(seen, attempt)));
  return root === undefined ? judged : [await writeRoot(seen, root, uid), ...judged];
}
