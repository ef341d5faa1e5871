// The reporter of every lane: shows failures and what tests say about themselves, and writes the count of cases to a file.
// Counts from the runner's events: a file that registered no case would otherwise look like one passed test.
import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import type { TestEvent } from "node:test/reporters";
import { type LaneCount, nothing } from "./lane-count.ts";

/** Names the file to which the count is written as JSON. */
export const countFileVariable = "GLOVEBOX_LANE_COUNT";

/** The runner's own totals, which arrive as diagnostics of no test. */
const ownTotal = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/u;

interface Ended {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined };
}

const isFileItself = (data: Ended): boolean =>
  data.nesting === 0 &&
  data.line === 1 &&
  data.file !== undefined &&
  data.file.endsWith(data.name.replace(/^\.\//u, "")) &&
  data.name.endsWith(".ts");

const place = (data: Ended): string => `${data.file ?? "?"}:${data.line ?? "?"}`;

/** @returns the count after `data`, and text when a person should see it */
function afterPass(count: LaneCount, data: Ended): readonly [LaneCount, string] {
  if (data.details.type === "suite") return [count, ""];
  if (isFileItself(data)) return [{ ...count, failed: count.failed + 1 }, `\n✖ ${data.name}: this file holds no case\n`];
  if (data.skip !== undefined || data.todo !== undefined) {
    return [{ ...count, skipped: count.skipped + 1 }, `- skipped: ${data.name} (${place(data)})\n`];
  }
  return [{ ...count, passed: count.passed + 1 }, ""];
}

function failureText(data: Ended, error: Error): string {
  const shown = inspect(error.cause ?? error, { depth: 4, maxStringLength: 20_000 });
  return `\n✖ ${data.name} (${place(data)})\n${shown.replaceAll(/^/gmu, "    ")}\n`;
}

function keep(count: LaneCount): void {
  const file = process.env[countFileVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(count));
}

export default async function* laneReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let count = nothing;
  for await (const event of source) {
    if (event.type === "test:pass") {
      const [next, text] = afterPass(count, event.data);
      count = next;
      yield text;
    } else if (event.type === "test:fail") {
      count = { ...count, failed: count.failed + 1 };
      yield failureText(event.data, event.data.details.error);
    } else if (event.type === "test:diagnostic" && !ownTotal.test(event.data.message)) {
      yield `  ${event.data.message}\n`;
    } else if (event.type === "test:interrupted") {
      keep(count); // the runner ends now, and asks for nothing more
      yield event.data.tests.map((running) => `\n✖ had not ended: ${running.name}\n`).join("");
    } else if (event.type === "test:stdout" || event.type === "test:stderr") {
      yield event.data.message;
    }
  }
  keep(count);
}
