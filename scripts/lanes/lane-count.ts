// What one lane counted: cases, not files. A lane that counted nothing has failed.

export interface LaneCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const nothing: LaneCount = { passed: 0, failed: 0, skipped: 0 };

export function addCounts(first: LaneCount, second: LaneCount): LaneCount {
  return { passed: first.passed + second.passed, failed: first.failed + second.failed, skipped: first.skipped + second.skipped };
}

/** The last line of every test program here. */
export const countLine = ({ passed, failed }: LaneCount): string => `${passed} passed, ${failed} failed`;

/** Reads `countLine` back from the last line of a program's output; undefined when it is not there. */
export function parseCountLine(output: string): LaneCount | undefined {
  const found = /(?:^|\n)(\d+) passed, (\d+) failed\s*$/u.exec(output);
  return found === null ? undefined : { passed: Number(found[1]), failed: Number(found[2]), skipped: 0 };
}

export interface JudgeOptions {
  /** On a test machine a skipped case is a failure: nobody is there to notice it. */
  readonly strict: boolean;
  /** Exit status of the lane's process; null when it was ended by a signal. */
  readonly exitCode: number | null;
  /** True when the lane was ended because it took too long. */
  readonly overran: boolean;
}

/** Turns what was counted into what counts, with the reasons that no case shows. */
export function judgeLane(
  counted: LaneCount,
  options: JudgeOptions,
): { readonly count: LaneCount; readonly complaints: readonly string[] } {
  const complaints: string[] = [];
  if (counted.passed + counted.failed + counted.skipped === 0) complaints.push("counted no case at all");
  if (options.overran) complaints.push("was ended at its deadline");
  else if (options.exitCode !== 0 && counted.failed === 0)
    complaints.push(`ended with ${options.exitCode ?? "a signal"} although no case failed`);
  if (options.strict && counted.skipped > 0) complaints.push(`skipped ${counted.skipped}, which a test machine does not allow`);
  return { count: { ...counted, failed: counted.failed + complaints.length }, complaints };
}
