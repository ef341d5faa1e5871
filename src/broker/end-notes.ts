// Why a command ended when that was not its own choice, as sentences for a person.
import type { RefusedCalls } from "../contracts/boundary.ts";
import type { RunOutcome, RunRequest, RunResult } from "../contracts/door.ts";
import type { LimitHit, LimitName } from "../contracts/limits.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { showBytes, showDuration } from "../kit/show-quantity.ts";

export type Ended = Pick<RunResult, "task" | "outcome" | "child" | "limitHits">;

function showLimit(hit: LimitHit, value: number): string {
  if (hit.limit === "wall" || hit.limit === "cpuTime") return showDuration(value);
  return ["output", "memory", "disk"].includes(hit.limit) ? showBytes(value) : String(value);
}

function limitNotes({ limitHits, task }: Ended): readonly Sentence[] {
  const keys: Readonly<Record<LimitName, string>> = {
    cpuTime: "cli.run.limit-cpu-time",
    cpuCores: "cli.run.limit-cpu-cores",
    memory: "cli.run.limit-memory",
    processes: "cli.run.limit-processes",
    disk: "cli.run.limit-disk",
    openFiles: "cli.run.limit-open-files",
    output: "cli.run.limit-output",
    wall: "cli.run.limit-wall",
    denials: "cli.run.limit-denials",
  };
  return limitHits.map((hit) => ({
    key: keys[hit.limit],
    values: { allowed: showLimit(hit, hit.allowed), observed: showLimit(hit, hit.observed), task },
  }));
}

type Asked = Pick<RunRequest, "argv" | "cwd">;

function endNote(result: Ended, { argv, cwd }: Asked): Sentence | undefined {
  const command = argv[0];
  if (result.child?.kind === "not-started") {
    if (result.child.stage === "directory") return { key: "cli.run.directory-absent", values: { directory: cwd } };
    if (result.child.stage === "output") return { key: "cli.run.no-output-directory", values: { command } };
    if (result.child.stage === "processes") return { key: "cli.run.no-process", values: { command } };
    return { key: result.child.value === 127 ? "cli.run.not-found" : "cli.run.not-executable", values: { command } };
  }
  const notes: Partial<Record<RunOutcome, Sentence>> = {
    denied: { key: "cli.run.denied", values: { command } },
    cancelled: { key: "cli.run.cancelled" },
    lost: { key: "cli.run.lost", values: { task: result.task } },
  };
  return notes[result.outcome];
}

/** Enough to see what it was about; the sheet has more. */
const placesShown = 3;

const nameServer = / port 53$/u;

/** Where no gate stands only the mediator sees whom a command calls; which name was meant nobody there can know. */
function networkNotes({ first }: RefusedCalls): readonly Sentence[] {
  const called = [...new Set(first.flatMap(({ rule, path }) => (rule === "noNetwork" ? [path] : [])))];
  const places = called.filter((place) => !nameServer.test(place));
  // Whose address it is, the command did not choose and nobody is helped by.
  if (called.length > 0 && places.length === 0) return [{ key: "cli.run.no-network-for-names" }];
  const rest = places.length - placesShown;
  const shown = [...places.slice(0, placesShown), ...(rest > 0 ? [`+${rest}`] : [])].join(", ");
  return places.length === 0 ? [] : [{ key: "cli.run.no-network", values: { places: shown } }];
}

/** Empty when the command simply ended. */
export function endNotes(result: Ended, asked: Asked, refusedCalls: RefusedCalls): readonly Sentence[] {
  const note = endNote(result, asked);
  return [...limitNotes(result), ...networkNotes(refusedCalls), ...(note === undefined ? [] : [note])];
}
