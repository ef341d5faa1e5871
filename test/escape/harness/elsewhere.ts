// What of the battery is not a row: it has no host to see it, or ends in a limit. Number -> what is tried, and where it is tested.

export interface Elsewhere {
  readonly number: number;
  readonly what: string;
  /** `FILE: START OF A TEST'S NAME`; the words stand in that file. */
  readonly tests: readonly string[];
}

export const elsewhere: readonly Elsewhere[] = [
  {
    number: 6,
    what: "second names, which the host made earlier, of what a rule denies: the sandbox is not opened",
    tests: ["test/escape/second-names.test.ts: a second name in a directory that the first run closed is not overlooked"],
  },
  {
    number: 18,
    what: "a denial that looks like a success",
    tests: ["test/escape/honest-denials.test.ts: is an error inside, not a pretence"],
  },
  {
    number: 29,
    what: "build scripts and test configuration: they stay writable, and are named as run later on the host",
    tests: ["test/e2e/file-changes.test.ts: what runs later on the host is marked"],
  },
  {
    number: 51,
    what: "fork bomb, memory, disk, inodes, descriptors, output, sparse files, a loop, a daemon that ignores signals",
    tests: [
      "test/e2e/limits.test.ts: , and a second sandbox answers within a second",
      "test/e2e/limits.test.ts: processes is exact, and threads count",
      "test/e2e/limits.test.ts: what the sandbox is limited to cannot be raised inside",
      "test/e2e/limit-record.test.ts: a run that used a limit up exits with 123",
    ],
  },
  {
    number: 53,
    what: "quotes, NUL, line breaks and leading dashes in a command: words stay words, no shell is between",
    tests: [
      "src/guard/guard-session.test.ts: exec() refuses NUL characters",
      "src/cli/parse-command-line.test.ts: parseCommandLine() keeps empty and odd arguments of the command as they are",
      "test/e2e/odd-bytes.test.ts: an argument that is not UTF-8 names the file it names, and no other",
    ],
  },
  {
    number: 54,
    what: "a command that may leave the sandbox, in a chain, a substitution, an alias",
    tests: [
      "src/policy/outside-rules.test.ts: an entry takes exactly its words, each at its place",
      "test/e2e/unsandboxed.test.ts: an entry whose program is not the pinned one is refused",
    ],
  },
  {
    number: 81,
    what: "terminal escapes, forged blocks and lines, refusals without end",
    tests: [
      "test/escape/forged-output.test.ts: terminal escapes and a forged block come back as data",
      "test/escape/forged-output.test.ts: violations without end are counted",
    ],
  },
];
