// One script, twice on trees of its own: without our walls and behind them; what the host saw it reach in each, and which walls held.
import type { AskPerson } from "../contracts/approval.ts";
import type { ChallengeReport, ChallengeTarget, WallName } from "../contracts/proof.ts";
import type { RunRequest } from "../contracts/door.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import {
  type ChallengeGround,
  commandOf,
  differences,
  judgeReached,
  listGround,
  makeChallengeGround,
  type Reached,
} from "./challenge-ground.ts";
import { plantNamed } from "./proving-ground.ts";
import { say } from "./draft.ts";
import { type ControlParts, runControl } from "./run-control.ts";
import type { ProofParts } from "./run-probes.ts";

const limitMs = 60_000;
const outputMax = 1 << 20;

async function outside(script: string, parts: ProofParts, control: ControlParts): Promise<Reached> {
  await using ground = await makeChallengeGround(script);
  await plantNamed(ground, await parts.policyFor(ground.project));
  const command = await commandOf(ground);
  const before = await ownedList(ground);
  const { output } = await runControl(ground, command, control);
  return judgeReached(ground, differences(before, await ownedList(ground)), output);
}

/** Without owners: root's control hands the tree to somebody else. */
async function ownedList({ root }: ChallengeGround): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await listGround(root))].map(([file, facts]) => [file, facts.replace(/^(\d+):\d+:/u, "$1:")]));
}

interface InsideEnd {
  readonly reached: Reached;
  readonly task: string;
  readonly exitCode: number;
  readonly records: readonly StoredRecord[];
  readonly refused: ChallengeReport["refused"];
  readonly policyHash: string;
}

async function inside(script: string, parts: ProofParts, ask: AskPerson | undefined): Promise<InsideEnd> {
  await using ground = await makeChallengeGround(script);
  const policy = await parts.policyFor(ground.project);
  await plantNamed(ground, policy);
  const argv = await commandOf(ground);
  const request: RunRequest = {
    policy: { projectDirectory: ground.project },
    argv,
    cwd: ground.project,
    callerEnvironment: parts.environment,
  };
  const limited = { ...policy, limits: { ...policy.limits, wallMs: Math.min(policy.limits.wallMs, limitMs) } };
  let output = "";
  const before = await ownedList(ground);
  const result = await parts.run(limited, request, {
    signal: AbortSignal.timeout(2 * limitMs),
    ...(ask === undefined ? {} : { ask }),
    onStart: () => {},
    onOutput: async ({ bytes }) => {
      if (output.length < outputMax) output += Buffer.from(bytes).toString("latin1");
    },
  });
  const reached = judgeReached(ground, differences(before, await ownedList(ground)), output);
  const happened = result.sheet.answers.find(({ question }) => question === "happened")?.lines ?? [];
  return {
    reached,
    task: result.task,
    exitCode: result.exitCode,
    records: parts.recordsOf(result.task),
    refused: happened.filter(({ key }) => key.includes("refused-")),
    policyHash: policy.hash,
  };
}

/** Layers that the opening record names; the mediator where the record holds calls that it refused. */
function recordedWalls(records: readonly StoredRecord[]): ReadonlySet<string> {
  const layers = records.find(({ type }) => type === "execution.opened")?.body["layers"];
  const names = Array.isArray(layers) ? layers.map((layer: { readonly name?: unknown }) => String(layer.name)) : [];
  return new Set([...names, ...(records.some(({ type }) => type === "execution.refused-calls") ? ["mediator"] : [])]);
}

const targets = [
  { id: "secret", what: "challenge.target.secret", walls: ["bubblewrap", "landlock"], isReached: ({ secret }: Reached) => secret },
  { id: "victim", what: "challenge.target.victim", walls: ["bubblewrap", "landlock"], isReached: ({ victim }: Reached) => victim },
  { id: "stray", what: "challenge.target.stray", walls: ["bubblewrap", "landlock"], isReached: ({ stray }: Reached) => stray.length > 0 },
  {
    id: "planted",
    what: "challenge.target.planted",
    walls: ["landlock", "mediator"],
    isReached: ({ planted }: Reached) => planted.length > 0,
  },
] as const satisfies readonly {
  readonly id: string;
  readonly what: string;
  readonly walls: readonly WallName[];
  readonly isReached: unknown;
}[];

export interface ChallengeOptions {
  /** Absolute. */
  readonly script: string;
  readonly control: ControlParts;
  readonly ask: AskPerson | undefined;
}

/** @throws what the ordinary way in throws when the policy does not let the script run */
export async function runChallenge(parts: ProofParts, { script, control, ask }: ChallengeOptions): Promise<ChallengeReport> {
  const free = await outside(script, parts, control);
  const held = await inside(script, parts, ask);
  const walls = recordedWalls(held.records);
  const judged = targets.map((target): ChallengeTarget => {
    const isOutside = target.isReached(free);
    const isInside = target.isReached(held.reached);
    const verdict = isInside ? "reached" : isOutside ? "held" : "not-tried";
    return {
      id: target.id,
      what: say(target.what),
      outside: isOutside,
      inside: isInside,
      verdict,
      heldBy: verdict === "held" ? target.walls.filter((wall) => walls.has(wall)) : [],
    };
  });
  return {
    holds: judged.some(({ verdict }) => verdict === "held") && judged.every(({ verdict }) => verdict !== "reached"),
    policyHash: held.policyHash,
    task: held.task,
    exitCode: held.exitCode,
    targets: judged,
    projectChanges: { outside: free.project.length, inside: held.reached.project.length },
    refused: held.refused,
  };
}
