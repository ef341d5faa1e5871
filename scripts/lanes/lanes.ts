// The lanes of `npm test`, in order. Each lane alone says which files it runs, how, and how long it may take.

export interface Lane {
  readonly name: string;
  readonly files: readonly string[];
  /** One process for all files (fast, no process tests), or one for each. */
  readonly isolation: "none" | "process";
  /** Files that run beside each other: those that look for what is left on the host look only for what carries their own mark. */
  readonly atOnce: number;
  readonly deadlineMs: number;
  /** Runs again as an ordinary user when the tests run as root. */
  readonly ordinaryUser: boolean;
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
    ordinaryUser: false,
  },
  {
    name: "conformance",
    files: ["src/conformance/*.conformance.test.ts"],
    isolation: "process",
    atOnce: 2,
    deadlineMs: 3 * minuteMs,
    ordinaryUser: true,
  },
  { name: "escape", files: ["test/escape/**/*.test.ts"], isolation: "process", atOnce: 2, deadlineMs: 10 * minuteMs, ordinaryUser: true },
  {
    name: "e2e",
    files: [`test/e2e/**/!(${loading}).test.ts`, "test/peers/**/*.test.ts"],
    isolation: "process",
    atOnce: 2,
    deadlineMs: 12 * minuteMs,
    ordinaryUser: true,
  },
  {
    name: "load",
    files: [`test/e2e/**/@(${loading}).test.ts`],
    isolation: "process",
    atOnce: 1,
    deadlineMs: 4 * minuteMs,
    ordinaryUser: true,
  },
  // Builds and installs for half a minute; what it says of walls the other lanes say as an ordinary user too.
  { name: "package", files: ["test/package/**/*.test.ts"], isolation: "process", atOnce: 1, deadlineMs: 4 * minuteMs, ordinaryUser: false },
  {
    name: "long",
    files: ["test/long/**/*.test.ts"],
    isolation: "process",
    atOnce: 1,
    deadlineMs: 120 * minuteMs,
    ordinaryUser: false,
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
