// Sizes and times of a policy: text with a unit <-> whole numbers. The canonical text uses the largest unit that divides exactly.

const sizeUnits: readonly (readonly [string, number])[] = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
];
const durationUnits: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

/** Spellings people use -> the unit they most likely mean. A bare number means bytes and seconds. */
const sizeHabits: ReadonlyMap<string, string> = new Map([
  ["", "B"],
  ...["b", "byte", "bytes"].map((word) => [word, "B"] as const),
  ...["k", "kb", "kib"].map((word) => [word, "KiB"] as const),
  ...["m", "mb", "mib"].map((word) => [word, "MiB"] as const),
  ...["g", "gb", "gib"].map((word) => [word, "GiB"] as const),
  ...["t", "tb", "tib"].map((word) => [word, "TiB"] as const),
]);
const durationHabits: ReadonlyMap<string, string> = new Map([
  ["", "s"],
  ...["ms", "msec", "millis", "millisecond", "milliseconds"].map((word) => [word, "ms"] as const),
  ...["s", "sec", "secs", "second", "seconds"].map((word) => [word, "s"] as const),
  ...["m", "min", "mins", "minute", "minutes"].map((word) => [word, "m"] as const),
  ...["h", "hr", "hrs", "hour", "hours"].map((word) => [word, "h"] as const),
  ...["d", "day", "days"].map((word) => [word, "d"] as const),
]);

type Units = readonly (readonly [string, number])[];

function factorOf(units: Units, name: string): number | undefined {
  return units.find(([unit]) => unit === name)?.[1];
}

function parse(units: Units, text: string): number | undefined {
  const found = /^([1-9]\d*)([A-Za-z]+)$/u.exec(text);
  const factor = factorOf(units, found?.[2] ?? "");
  const value = factor === undefined ? Number.NaN : Number(found?.[1]) * factor;
  return Number.isSafeInteger(value) ? value : undefined;
}

function show(units: Units, value: number): string {
  const [unit, factor] = units.find(([, size]) => value % size === 0) ?? ["", 1];
  return `${value / factor}${unit}`;
}

/** Bytes; undefined when it is not a size or too large to count exactly. */
export const parseSize = (text: string): number | undefined => parse(sizeUnits, text);
/** Milliseconds; undefined when it is not a duration or too large to count exactly. */
export const parseDuration = (text: string): number | undefined => parse(durationUnits, text);
/** @param bytes a whole number above 0 */
export const showSize = (bytes: number): string => show(sizeUnits, bytes);
/** @param milliseconds a whole number above 0 */
export const showDuration = (milliseconds: number): string => show(durationUnits, milliseconds);

/** Adds up `1h 30min`, `1.5GB`, `90`; undefined when a part is not understood or the sum is not a whole number above 0. */
function guess(text: string, habits: ReadonlyMap<string, string>, units: Units): string | undefined {
  if (!/^(?:\s*\d+(?:\.\d+)?\s*[A-Za-z]*\s*)+$/u.test(text) || text.length > 40) return undefined;
  let sum = 0;
  for (const [, digits, word = ""] of text.matchAll(/(\d+(?:\.\d+)?)\s*([A-Za-z]*)/gu)) {
    const factor = factorOf(units, habits.get(word.toLowerCase()) ?? "");
    if (factor === undefined) return undefined;
    sum += Number(digits) * factor;
  }
  return Number.isSafeInteger(sum) && sum > 0 ? show(units, sum) : undefined;
}

/** What somebody who wrote `2GB`, `2g` or `2048` most likely meant: `2GiB`, `2GiB`, `2KiB`. */
export const nearestSize = (text: string): string | undefined => guess(text, sizeHabits, sizeUnits);
/** What somebody who wrote `90`, `90sec` or `1h30m` most likely meant: `90s`, `90s`, `90m`. */
export const nearestDuration = (text: string): string | undefined => guess(text, durationHabits, durationUnits);
