// `npm test` after set-up: runs the lanes one after the other, the fuzzers and an ordinary user's lanes beside them, and ends with the line `N passed, N failed`.
import path from "node:path";
import { parseArgs } from "node:util";
import { judgeIdentity, readIdentity } from "./lanes/identity.ts";
import { addCounts, countLine, nothing } from "./lanes/lane-count.ts";
import { fuzzProgram, laneNames, lanes, lanesOf, userLane } from "./lanes/lanes.ts";
import { type LaneOptions, type LaneResult, runCounting, runLane } from "./lanes/run-lane.ts";
import { ordinaryUserFlag, runUserLane } from "./lanes/user-lane.ts";

const root = path.dirname(import.meta.dirname);

interface Wanted {
  readonly selected: ReadonlySet<string>;
  readonly long: boolean;
  readonly ordinaryUser: boolean;
}

const usage = `Usage: npm test -- [--lane NAME]... [--long]
  --lane NAME  only this lane; more than once: ${laneNames.join(", ")}
  --long       with the lanes and cases that take long
`;

/** Throws what is wrong with them. */
function readArguments(): Wanted {
  const { values } = parseArgs({
    options: {
      lane: { type: "string", multiple: true },
      long: { type: "boolean", default: false },
      [ordinaryUserFlag.slice(2)]: { type: "boolean", default: false },
    },
  });
  const asked = values.lane ?? lanesOf({ long: values.long, isRoot: process.getuid?.() === 0 });
  const unknown = asked.find((name) => !laneNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no lane "${unknown}".`);
  return { selected: new Set(asked), long: values.long, ordinaryUser: values[ordinaryUserFlag.slice(2)] === true };
}

type Run = (options: LaneOptions) => Promise<LaneResult>;

/** Runs beside the lanes from now on. What it says is shown when it is asked for its result, so that it does not come between their lines. */
function beside(options: LaneOptions, run: Run): () => Promise<LaneResult> {
  const said: string[] = [];
  const result = run({ ...options, show: (text) => void said.push(text) });
  return async () => {
    const ended = await result;
    options.show(said.join(""));
    return ended;
  };
}

function fuzzers(long: boolean): Run {
  const { name, file, deadlineMs, longDeadlineMs } = fuzzProgram;
  const command = [process.execPath, file, ...(long ? ["--long"] : [])];
  return (options) => runCounting({ name, deadlineMs: long ? longDeadlineMs : deadlineMs, command }, options);
}

function printSummary(results: readonly LaneResult[]): void {
  process.stdout.write("\n");
  for (const { name, count, seconds } of results) {
    const skipped = count.skipped === 0 ? "" : `, ${count.skipped} skipped`;
    const mark = count.failed === 0 ? "✔" : "✖";
    process.stdout.write(`${mark} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s  ${countLine(count)}${skipped}\n`);
  }
}

async function main(): Promise<number> {
  let wanted: Wanted;
  try {
    wanted = readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return 2;
  }
  const { selected, long, ordinaryUser } = wanted;
  const options: LaneOptions = { root, strict: process.env["CI"] === "true", show: (text) => process.stdout.write(text) };
  const results: LaneResult[] = [];
  if (ordinaryUser) results.push(judgeIdentity(readIdentity()));
  // The lane that runs hands the signal on to its own processes; here it means that no further lane begins.
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  const isWanted = (name: string): boolean => selected.has(name) && !stop.signal.aborted;
  const lanesEnded = Promise.withResolvers<void>();
  const asUser: Run = (own) => runUserLane(own, lanesEnded.promise);
  const others = [...(isWanted(fuzzProgram.name) ? [fuzzers(long)] : []), ...(isWanted(userLane.name) ? [asUser] : [])];
  const running = others.map((run) => beside(options, run));
  for (const lane of lanes) {
    if (isWanted(lane.name)) results.push(await runLane(lane, options));
  }
  lanesEnded.resolve();
  for (const result of running) results.push(await result());
  printSummary(results);
  const total = results.reduce((sum, result) => addCounts(sum, result.count), nothing);
  process.stdout.write(`${countLine(total)}\n`);
  return total.failed === 0 && total.passed > 0 && !stop.signal.aborted ? 0 : 1;
}

process.exitCode = await main();
