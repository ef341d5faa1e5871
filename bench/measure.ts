// Times alternatives in turn (A B C A B C ...), so that a drift of the machine hits all alike, and prints least, median, p95, and the ratio of the medians.
import { availableParallelism, release } from "node:os";

export interface Alternative {
  readonly name: string;
  /** One run; resolves when what is timed is over. Returns the part to count, in milliseconds, when it is not the whole. */
  readonly run: () => Promise<number | undefined>;
}

export interface Timing {
  readonly name: string;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** @param rounds counted rounds, after two that are not */
export async function measureInTurn(alternatives: readonly Alternative[], rounds: number): Promise<readonly Timing[]> {
  const times = alternatives.map((): number[] => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, alternative] of alternatives.entries()) {
      const started = performance.now();
      const counted = await alternative.run();
      if (round >= 0) times[index]?.push(counted ?? performance.now() - started);
    }
  }
  return alternatives.map(({ name }, index) => {
    const sorted = (times[index] ?? []).toSorted((left, right) => left - right);
    return { name, min: quantile(sorted, 0), p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
  });
}

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`.padStart(11);

/** The first timing is what the others are compared with. */
export function printTimings(title: string, timings: readonly Timing[]): void {
  const width = Math.max(...timings.map(({ name }) => name.length));
  const base = timings[0]?.p50 ?? Number.NaN;
  console.log(`\n${title}`);
  for (const { name, min, p50, p95 } of timings) {
    console.log(
      `  ${name.padEnd(width)} min ${milliseconds(min)}  p50 ${milliseconds(p50)}  p95 ${milliseconds(p95)}  ${(p50 / base).toFixed(2)}x`,
    );
  }
}

export function machineLine(): string {
  return `node ${process.version}, kernel ${release()}, ${availableParallelism()} cores, uid ${process.getuid?.()}`;
}
