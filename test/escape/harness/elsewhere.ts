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
    number: 62,
    what: "secrets in names: by the resolver, by others, by UDP and TCP",
    tests: [
      "test/e2e/egress-attackers.test.ts: puts a secret into names",
      "test/gate/egress-spoken.test.ts: no record of any type but addresses",
    ],
  },
  {
    number: 63,
    what: "clients that use no proxy",
    tests: [
      "test/gate/egress-clients.test.ts: without proxy variables every client reaches an allowed name",
      "test/gate/egress-spoken.test.ts: a client that is told to use no proxy gets no further",
    ],
  },
  {
    number: 66,
    what: "dots, letter case, other scripts, long and empty labels in names",
    tests: [
      "test/gate/egress-table.test.ts: each row gets its verdict by CONNECT",
      "test/gate/egress-bad-input.test.ts: names as long as names may be",
    ],
  },
  {
    number: 67,
    what: "NUL, escapes and blanks in the names that HTTP and SOCKS carry",
    tests: ["test/gate/egress-malformed.test.ts: each malformed request is refused"],
  },
  {
    number: 69,
    what: "names beside, above and below a pattern",
    tests: [
      "test/gate/egress-table.test.ts: each row gets its verdict by CONNECT",
      "src/policy/decide-egress.test.ts: decide() answers each row",
    ],
  },
  {
    number: 70,
    what: "odd ports",
    tests: [
      "test/gate/egress-malformed.test.ts: each malformed request is refused",
      "test/gate/egress-table.test.ts: each row gets its verdict by CONNECT",
    ],
  },
  {
    number: 71,
    what: "another or no server name, an encrypted hello, HTTP/2, bytes that are no TLS",
    tests: [
      "test/gate/egress-malformed.test.ts: what is spoken in a tunnel is TLS that names the asked host",
      "test/gate/egress-spoken.test.ts: only what the rules name is spoken there",
    ],
  },
  {
    number: 73,
    what: "names that lead outside first and inward afterwards, or both at once, or by another name",
    tests: [
      "test/gate/egress-table.test.ts: a name that leads outside when asked first and inward afterwards",
      "src/policy/decide-egress.test.ts: decideAddress() denies a name that leads to a place that is not public",
    ],
  },
  {
    number: 74,
    what: "metadata services, by name and address",
    tests: [
      "test/gate/egress-table.test.ts: each row gets its verdict by CONNECT",
      "test/gate/egress-spoken.test.ts: a redirect is followed by the client alone",
    ],
  },
  {
    number: 77,
    what: "the gate used by others of the machine",
    tests: ["test/e2e/egress-attackers.test.ts: the gate listens on nothing that others on the machine can reach"],
  },
  {
    number: 78,
    what: "upgrades and TRACE",
    tests: ["test/gate/egress-malformed.test.ts: each malformed request is refused"],
  },
  {
    number: 79,
    what: "no rule means no way out",
    tests: ["test/e2e/egress-attackers.test.ts: with no rule at all nothing leaves"],
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
