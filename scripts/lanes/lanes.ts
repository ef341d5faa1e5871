// The lanes of `npm test`, in order. Each lane alone says which files it runs, how, and how long it may take.

export interface Lane {
  readonly name: string;
  readonly files: readonly string[];
  /** One process for all files (fast, no process tests), or one for each. */
  readonly isolation: "none" | "process";
  /** Files that run beside each other: those that look for what is left on the host look only for what carries their own mark. */
  readonly atOnce: number;
  readonly deadlineMs: number;
  /** For one case, where that is other than for all (see run-lane.ts). */
  readonly caseDeadlineMs?: number;
  /** When the tests run as root: as whom. Root's lanes run in place, an ordinary user's on a copy; whoever is not root runs all in place. */
  readonly as: "root" | "user" | "both";
  /** Only with `--long`. */
  readonly long?: true;
}

const minuteMs = 60_000;

/** They take what the machine has, and measure meanwhile how soon others are answered. */
const loading = ["flooded-mediator", "limits", "process-limit"].join("|");

export const lanes: readonly Lane[] = [
  {
    name: "unit",
    files: ["src/**/!(*.conformance).test.ts", "scripts/**/*.test.ts", "test/vectors/**/*.test.ts"],
    isolation: "none",
    atOnce: 1,
    deadlineMs: 2 * minuteMs,
    as: "root",
  },
  {
    name: "conformance",
    files: ["src/conformance/*.conformance.test.ts"],
    isolation: "process",
    atOnce: 2,
    deadlineMs: 3 * minuteMs,
    as: "both",
  },
  { name: "escape", files: ["test/escape/**/*.test.ts"], isolation: "process", atOnce: 2, deadlineMs: 10 * minuteMs, as: "both" },
  {
    name: "e2e",
    files: [`test/e2e/**/!(${loading}).test.ts`],
    isolation: "process",
    atOnce: 2,
    deadlineMs: 12 * minuteMs,
    as: "both",
  },
  // What a client sends, a parser takes and a file keeps is the same for everybody, so these run once; the walls behind are tried as both above. Three at
  // once: root's lanes have ended, or nearly, by the time that these come.
  {
    name: "doors",
    files: ["test/@(doors|gate|peers)/**/*.test.ts"],
    isolation: "process",
    atOnce: 3,
    deadlineMs: 8 * minuteMs,
    as: "user",
  },
  { name: "ledger", files: ["test/ledger/**/*.test.ts"], isolation: "process", atOnce: 2, deadlineMs: 3 * minuteMs, as: "root" },
  {
    name: "load",
    files: [`test/e2e/**/@(${loading}).test.ts`],
    isolation: "process",
    atOnce: 1,
    deadlineMs: 4 * minuteMs,
    as: "both",
  },
  // Sets up, builds and installs; what it says of walls the other lanes say as an ordinary user too.
  { name: "package", files: ["test/package/**/*.test.ts"], isolation: "process", atOnce: 1, deadlineMs: 4 * minuteMs, as: "root" },
  {
    name: "long",
    files: ["test/long/**/*.test.ts"],
    isolation: "process",
    atOnce: 1,
    deadlineMs: 120 * minuteMs,
    caseDeadlineMs: 60 * minuteMs,
    as: "root",
    long: true,
  },
];

/** Programs that count for themselves and end with `N passed, N failed`. */
export const fuzzProgram = {
  name: "fuzz",
  file: "test/fuzz/run.ts",
  deadlineMs: 3 * minuteMs,
  /** With `--long`, which it is told. */
  longDeadlineMs: 20 * minuteMs,
} as const;

/** The lanes again, on a copy, as an ordinary user. */
export const userLane = { name: "user", deadlineMs: 30 * minuteMs } as const;

export const laneNames: readonly string[] = [...lanes.map((lane) => lane.name), fuzzProgram.name, userLane.name];

/** The lanes that run when none is named. */
export function lanesOf({ long, isRoot }: { readonly long: boolean; readonly isRoot: boolean }): readonly string[] {
  const left = lanes.filter((lane) => (lane.long === true && !long) || (lane.as === "user" && isRoot));
  return laneNames.filter((name) => !left.some((lane) => lane.name === name));
}
