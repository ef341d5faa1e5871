// Two texts as a unified diff: Myers' greedy comparison of lines, bounded. Texts that differ too much are shown as taken out and put in whole.

const context = 3;
/** Most lines taken out and put in that are compared exactly. */
const differencesMax = 1500;

type Step = { readonly sign: " " | "-" | "+"; readonly line: string };

/** Lines with their ends: the last may have none. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

interface Span {
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** The furthest x on each diagonal, for each number of differences; undefined when there are too many. */
function search({ old, now }: Span): readonly Int32Array[] | undefined {
  const most = Math.min(old.length + now.length, differencesMax);
  const rounds: Int32Array[] = [];
  let last = new Int32Array([0, 0, 0]);
  for (let d = 0; d <= most; d += 1) {
    const reach = new Int32Array(2 * d + 3);
    for (let k = -d; k <= d; k += 2) {
      // `last` has its diagonal 0 at index d, `reach` at d + 1.
      const down = last[d + k + 1] ?? 0;
      const right = (last[d + k - 1] ?? 0) + 1;
      let x = k === -d || (k !== d && right <= down) ? down : right;
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x += 1;
      reach[d + 1 + k] = x;
      if (x >= old.length && x - k >= now.length) return [...rounds, reach];
    }
    rounds.push(reach);
    last = reach;
  }
  return undefined;
}

function trace(span: Span, rounds: readonly Int32Array[]): readonly Step[] {
  const steps: Step[] = [];
  let x = span.old.length;
  let y = span.now.length;
  const same = (toX: number): void => {
    for (; x > toX; x -= 1, y -= 1) steps.push({ sign: " ", line: span.old[x - 1] ?? "" });
  };
  for (let d = rounds.length - 1; d > 0; d -= 1) {
    const last = rounds[d - 1] ?? new Int32Array();
    const k = x - y;
    const down = last[d + k + 1] ?? 0;
    const right = (last[d + k - 1] ?? 0) + 1;
    const isDown = k === -d || (k !== d && right <= down);
    same(isDown ? down : right);
    if (isDown) {
      y -= 1;
      steps.push({ sign: "+", line: span.now[y] ?? "" });
    } else {
      x -= 1;
      steps.push({ sign: "-", line: span.old[x] ?? "" });
    }
  }
  same(0);
  return steps.toReversed();
}

function compare(span: Span): readonly Step[] {
  const rounds = search(span);
  if (rounds !== undefined) return trace(span, rounds);
  return [...span.old.map((line): Step => ({ sign: "-", line })), ...span.now.map((line): Step => ({ sign: "+", line }))];
}

function commonStart(old: readonly string[], now: readonly string[]): number {
  let count = 0;
  while (count < old.length && count < now.length && old[count] === now[count]) count += 1;
  return count;
}

function commonEnd(old: readonly string[], now: readonly string[], from: number): number {
  let count = 0;
  while (count < Math.min(old.length, now.length) - from && old.at(-1 - count) === now.at(-1 - count)) count += 1;
  return count;
}

function stepsOf(old: readonly string[], now: readonly string[]): readonly Step[] {
  const start = commonStart(old, now);
  const end = commonEnd(old, now, start);
  const same = (lines: readonly string[]): readonly Step[] => lines.map((line) => ({ sign: " ", line }));
  const middle = compare({ old: old.slice(start, old.length - end), now: now.slice(start, now.length - end) });
  return [...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))];
}

/** Ranges of steps with their surroundings; what lies close together is one. */
function hunksOf(steps: readonly Step[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of steps.entries()) {
    if (sign === " ") continue;
    const last = hunks.at(-1);
    const end = Math.min(steps.length, index + context + 1);
    if (last !== undefined && index - context <= last[1]) last[1] = end;
    else hunks.push([Math.max(0, index - context), end]);
  }
  return hunks;
}

function range(start: number, count: number): string {
  // As diff writes it: an empty range names the line before it.
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function showStep({ sign, line }: Step): readonly string[] {
  return line.endsWith("\n") ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, "\\ No newline at end of file"];
}

/** Hunks only, without the two lines that name the files; empty when the texts are the same. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const steps = stepsOf(linesOf(before), linesOf(after));
  const lines: string[] = [];
  let at = 0;
  let old = 0;
  let now = 0;
  const pass = (part: readonly Step[]): readonly [number, number] => [
    part.filter(({ sign }) => sign !== "+").length,
    part.filter(({ sign }) => sign !== "-").length,
  ];
  for (const [start, end] of hunksOf(steps)) {
    const [oldSkipped, nowSkipped] = pass(steps.slice(at, start));
    const hunk = steps.slice(start, end);
    const [oldCount, nowCount] = pass(hunk);
    old += oldSkipped;
    now += nowSkipped;
    lines.push(`@@ -${range(old, oldCount)} +${range(now, nowCount)} @@`, ...hunk.flatMap(showStep));
    old += oldCount;
    now += nowCount;
    at = end;
  }
  return lines;
}
