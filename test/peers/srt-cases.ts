// What is asked of srt and of `glovebox srt`, by the same settings: a table of probes, and by name each answer that differs.

/** One line of shell whose success is the answer `yes`. */
export interface Probe {
  readonly name: string;
  readonly line: string;
  /** How `glovebox srt` differs from srt, where it does; docs/agents.md says so too. */
  readonly stricter?: string;
}

/** `{HOME}` and `{BESIDE}` are directories outside the project. */
export const settings = {
  network: {
    allowedDomains: ["api.example.com", "*.pkg.example.org", "slow.pkg.example.org:81"],
    deniedDomains: ["git.pkg.example.org", "*:22"],
  },
  filesystem: {
    denyRead: ["closed", "**/*.pem", "{BESIDE}/closed"],
    allowRead: ["closed/open"],
    allowWrite: [".", "{BESIDE}/out"],
    denyWrite: [".env", "fixed", "later.txt"],
  },
} as const;

const get = (url: string): string => `curl -sS -f -o /dev/null --max-time 15 ${url}`;
const elsewhere = "only named places of the home directory and beside the project are shown";

export const reads: readonly Probe[] = [
  { name: "a file of the project", line: "cat notes" },
  { name: "a file in a denied directory", line: "cat closed/secret" },
  { name: "an allowed directory in a denied one", line: "cat closed/open/page" },
  { name: "a match of a denied pattern", line: "cat deep/er/key.pem" },
  { name: "a denied file through a link", line: "cat to-secret" },
  { name: "the operating system", line: "cat /etc/passwd" },
  { name: "a denied directory beside the project", line: 'cat "$BESIDE/closed/x"' },
  { name: "a writable directory beside the project", line: 'cat "$BESIDE/out/x"' },
  { name: "a file beside the project that no rule names", line: 'cat "$BESIDE/x"', stricter: elsewhere },
  { name: "a file of the home directory that no rule names", line: 'cat "$OWNHOME/x"', stricter: elsewhere },
];

export const writes: readonly Probe[] = [
  { name: "a new file of the project", line: "echo n > new" },
  { name: "a file of the project", line: "echo n >> notes" },
  { name: "a file that may not be written", line: "echo n >> .env" },
  { name: "a file in a directory that may not be written", line: "echo n > fixed/new" },
  { name: "a denied file that is not there yet", line: "echo n > later.txt" },
  { name: "removing a file that may not be written", line: "rm -f .env && ! test -e .env" },
  { name: "a hook of git", line: "echo n > .git/hooks/pre-commit" },
  { name: "a writable directory beside the project", line: 'echo n > "$BESIDE/out/new"' },
  { name: "beside the project", line: 'echo n > "$BESIDE/new"' },
  { name: "the home directory", line: 'echo n > "$OWNHOME/new"' },
  { name: "the operating system", line: "echo n > /etc/glovebox-probe" },
];

export const connections: readonly Probe[] = [
  { name: "an allowed name", line: get("http://api.example.com/a") },
  { name: "a name below an allowed one", line: get("http://a.b.pkg.example.org/b") },
  { name: "the name itself of a wildcard", line: get("http://pkg.example.org/c") },
  { name: "a denied name below an allowed one", line: get("http://git.pkg.example.org/d") },
  { name: "a name that no list has", line: get("http://evil.test/e") },
  { name: "an address that no list has", line: get("http://93.10.0.1/f") },
  { name: "the machine itself", line: get("http://127.0.0.1:8080/g") },
  {
    name: "an allowed name without the proxy",
    line: `env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy ${get("http://evil.test/h")}`,
  },
];

/** Command lines, and the code that both give back. */
export const ends: readonly { readonly argv: readonly string[]; readonly code: number }[] = [
  { argv: ["--", "sh", "-c", "exit 7"], code: 7 },
  // What looks like an option of srt is one, wherever it stands.
  { argv: ["sh", "-c", "exit 9"], code: 9 },
  { argv: ["no-such-program-here", "-x"], code: 127 },
  { argv: ["-c", "kill -9 $$"], code: 137 },
];
