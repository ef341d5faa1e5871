// importSrt(): a table of settings, the policy that they become, and what is noted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { imported, noteLines, refusals, srtText } from "../testing/imports.ts";

interface Row {
  readonly title: string;
  readonly settings: Parameters<typeof srtText>[0];
  /** Of the policy: only the keys that the row is about. */
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly notes?: readonly string[];
}

/** Always noted. */
const view = "stricter filesystem.denyRead default-view";
const ports = "stricter network.allowedDomains usual-ports";

const fileRows: readonly Row[] = [
  { title: "empty lists close everything", settings: {}, policy: { allowRead: [], denyRead: [], allowWrite: [], denyWrite: [] } },
  {
    title: "relative, home and absolute paths keep their meaning",
    settings: { filesystem: { denyRead: ["~/.ssh", "secrets"], allowWrite: [".", "./out/", "/srv/data"], denyWrite: [".env"] } },
    policy: { denyRead: ["~/.ssh", "./secrets"], allowWrite: [".", "./out", "/srv/data"], denyWrite: ["./.env"] },
  },
  {
    title: "a tail of stars names the directory",
    settings: { filesystem: { denyRead: ["~/.aws/**"], allowWrite: ["src/**"], denyWrite: ["src/gen/**"], allowRead: ["/opt/x/**"] } },
    policy: { denyRead: ["~/.aws"], allowWrite: ["./src"], denyWrite: ["./src/gen"], allowRead: ["/opt/x"] },
  },
  {
    title: "braces, dollars and backslashes are ordinary characters",
    settings: { filesystem: { denyRead: ["a{b}", "$HOME/x", "c\\d"] } },
    policy: { denyRead: ["./a\\{b\\}", "./\\$HOME/x", "./c\\\\d"] },
  },
  {
    title: "a pattern that denies reading stays one",
    settings: { filesystem: { denyRead: ["~/**/.env", "**/*.pem"] } },
    policy: { denyRead: ["~/**/.env", "./**/*.pem"] },
  },
  {
    title: "a pattern that denies writing hides",
    settings: { filesystem: { allowWrite: ["."], denyWrite: ["**/*.lock"] } },
    policy: { denyRead: ["./**/*.lock"], denyWrite: [] },
    notes: [view, "stricter filesystem.denyWrite[0] deny-write-glob"],
  },
  {
    title: "a pattern opens nothing",
    settings: { filesystem: { allowRead: ["/opt/*/lib"], allowWrite: ["build-*"] } },
    policy: { allowRead: [], allowWrite: [] },
    notes: [view, "refused filesystem.allowRead[0] allow-glob", "refused filesystem.allowWrite[0] allow-glob"],
  },
  {
    title: "the home directory, the system, keys and our own state are never write roots",
    settings: { filesystem: { allowWrite: ["~", "/", "/usr", "~/.ssh", "/opt/glovebox", "/home"] } },
    policy: { allowWrite: [] },
    notes: [view, "root-home", "root-home", "root-system", "root-trusted", "root-own", "root-home"],
  },
  {
    title: "nor is what agents and editors trust",
    settings: { filesystem: { allowWrite: [".claude", "~/.codex/sessions", "sub/.GIT/hooks", "/srv/.vscode"] } },
    policy: { allowWrite: [] },
    notes: [view, "root-trusted", "root-trusted", "root-trusted", "root-trusted"],
  },
  {
    title: "a write root is a directory that exists",
    settings: { filesystem: { allowWrite: ["notes.txt", "missing"] } },
    policy: { allowWrite: [] },
    notes: [view, "refused filesystem.allowWrite[0] write-file", "inert filesystem.allowWrite[1] missing"],
  },
  {
    title: "what every sandbox has of its own is not opened on the host",
    settings: { filesystem: { allowWrite: ["/tmp", "/dev/null", "/tmp/claude"], denyRead: ["/proc"] } },
    policy: { allowWrite: ["/tmp/claude"], denyRead: [] },
  },
  {
    title: "a written directory in a denied one can be read",
    settings: { filesystem: { denyRead: ["/home"], allowWrite: ["."], allowRead: ["/home/me/lib"] } },
    policy: { denyRead: ["/home"], allowRead: ["/home/me/lib", "."] },
  },
  {
    title: "an allow of the same path wins",
    settings: { filesystem: { denyRead: ["/srv", "/srv/a/"], allowRead: ["/srv/a"] } },
    policy: { denyRead: ["/srv"], allowRead: ["/srv/a"] },
    notes: [view, "inert filesystem.denyRead[1] allow-wins"],
  },
  {
    title: "nothing is written where everything is denied writing",
    settings: { filesystem: { allowWrite: ["."], denyWrite: ["/"] } },
    policy: { allowWrite: [], denyWrite: [] },
  },
  {
    title: "hidden credentials are denied reading and never passed, masked ones too",
    settings: {
      credentials: {
        files: [
          { path: "~/.netrc", mode: "mask", extract: "(x)" },
          { path: "key", mode: "deny" },
        ],
        envVars: [{ name: "LC_SECRET", mode: "deny" }],
        awsPairs: [{ accessKeyIdVar: "A", secretAccessKeyVar: "B" }],
      },
    },
    policy: { denyRead: ["~/.netrc", "./key"] },
    notes: [view, "stricter credentials.files[0].mode mask", "inert credentials.awsPairs inject"],
  },
];

const words = (lines: readonly string[]): readonly string[] => lines.map((line) => line.split(" ").at(-1) ?? "").toSorted();

test("importSrt() files: each row", () => {
  for (const { title, settings, policy = {}, notes } of fileRows) {
    const { document, notes: found } = imported("srt", srtText(settings));
    for (const [name, expected] of Object.entries(policy)) {
      const filesystem: Readonly<Record<string, unknown>> = document.filesystem ?? {};
      assert.deepEqual(filesystem[name], expected, `${title}: ${name}`);
    }
    if (notes !== undefined) assert.deepEqual(words(noteLines(found)), words(notes), title);
  }
});

const any = { protocols: ["https", "http", "ssh"], verdict: "allow" };

const hostRows: readonly Row[] = [
  { title: "no list, no connection", settings: {}, policy: { egress: [], allowLocal: [] }, notes: [view] },
  {
    title: "names, wildcards and ports",
    settings: { network: { allowedDomains: ["A.example.com", "*.b.example.org", "c.example.com:443", "d.example.com:5432"] } },
    policy: {
      egress: [
        { id: "srt-allow", hosts: ["a.example.com", "*.b.example.org"], ...any },
        { id: "srt-allow-443", hosts: ["c.example.com"], ports: [443], protocols: ["https"], verdict: "allow" },
        { id: "srt-allow-5432", hosts: ["d.example.com"], ports: [5432], protocols: ["https", "http", "ssh", "tcp"], verdict: "allow" },
      ],
    },
    notes: [view, ports],
  },
  {
    title: "addresses: public ones as a range, others one port at a time",
    settings: { network: { allowedDomains: ["8.8.8.8:443", "127.0.0.1:3000", "localhost:8080", "[::1]:9", "10.0.0.1"] } },
    policy: {
      egress: [{ id: "srt-allow-443", cidr: ["8.8.8.8/32"], ports: [443], protocols: ["https"], verdict: "allow" }],
      allowLocal: ["127.0.0.1:3000", "localhost:8080", "[::1]:9"],
    },
    notes: [view, "refused network.allowedDomains[4] local-port"],
  },
  {
    title: "what is never opened",
    settings: { network: { allowedDomains: ["*", "*.com", "169.254.169.254:80", "metadata.google.internal:80", "ex ample.com"] } },
    policy: { egress: [], allowLocal: [] },
    notes: [view, "host-everything", "host-suffix", "local-never", "local-never", "host-shape"],
  },
  {
    title: "denied names and addresses, with reasons",
    settings: {
      network: {
        deniedDomains: ["bad.example.com", "git.example.com:22", "9.9.9.9", "localhost"],
        deniedDomainReasons: { "git.example.com:22": "use https" },
        deniedResolvedAddresses: ["10.0.0.0/8", "fc00::1"],
      },
    },
    policy: {
      egress: [
        { id: "srt-deny-1", hosts: ["bad.example.com"], verdict: "deny" },
        { id: "srt-deny-2", hosts: ["git.example.com"], ports: [22], verdict: "deny", reason: "use https" },
        { id: "srt-deny-3", cidr: ["9.9.9.9/32"], verdict: "deny" },
        { id: "srt-deny-addresses", cidr: ["10.0.0.0/8", "fc00::1/128"], verdict: "deny" },
      ],
    },
    notes: [view, "inert network.deniedDomains[3] local-denied"],
  },
  {
    title: "a denied star closes everything",
    settings: { network: { allowedDomains: ["a.example.com", "localhost:80"], deniedDomains: ["*"] } },
    policy: { egress: [{ id: "srt-deny-1", cidr: ["0.0.0.0/0", "::/0"], verdict: "deny" }], allowLocal: [] },
  },
  {
    title: "a denied star with a port closes that port",
    settings: { network: { deniedDomains: ["*:22"] } },
    policy: { egress: [{ id: "srt-deny-1", cidr: ["0.0.0.0/0", "::/0"], ports: [22], verdict: "deny" }] },
  },
  {
    title: "a denied name closes the local place of that name",
    settings: {
      network: { allowedDomains: ["localhost:80", "localhost:81", "db.corp.internal:5432"], deniedDomains: ["LOCALHOST:80", "*.internal"] },
    },
    policy: { allowLocal: ["localhost:81"] },
  },
];

test("importSrt() hosts: each row", () => {
  for (const { title, settings, policy = {}, notes } of hostRows) {
    const { document, notes: found } = imported("srt", srtText(settings));
    const { egress, allowLocal } = document;
    const shown: Readonly<Record<string, unknown>> = { egress, allowLocal };
    for (const [name, expected] of Object.entries(policy)) assert.deepEqual(shown[name], expected, `${title}: ${name}`);
    if (notes !== undefined) assert.deepEqual(words(noteLines(found)), words(notes), title);
  }
});

test("importSrt() notes every setting that is inert or refused, and none that asks for nothing", () => {
  const everything = {
    network: {
      strictAllowlist: true,
      allowUnixSockets: ["/x"],
      allowAllUnixSockets: true,
      allowLocalBinding: true,
      allowMachLookup: ["x"],
      httpProxyPort: 1,
      socksProxyPort: 2,
      mitmProxy: { socketPath: "/x", domains: ["a.example.com"] },
      tlsTerminate: { excludeDomains: ["a.example.com"] },
      parentProxy: { http: "http://p.example.com" },
    },
    filesystem: { disabled: true, allowGitConfig: true },
    ignoreViolations: { "*": ["/x"] },
    enableWeakerNestedSandbox: true,
    enableWeakerNetworkIsolation: true,
    allowAppleEvents: true,
    allowPty: true,
    ripgrep: { command: "rg" },
    mandatoryDenySearchDepth: 5,
    seccomp: { applyPath: "/x" },
    bwrapPath: "/x",
    socatPath: "/x",
    javaAgentJarPath: "/x",
    git: { safeDirectories: ["/x"] },
    windows: { sandboxUser: "x" },
  };
  const keys = imported("srt", srtText(everything)).notes.map(({ key }) => key);
  // It says what holds here anyway.
  const held = ["network.strictAllowlist"];
  const given = Object.entries(everything).flatMap(([name, value]) =>
    name === "network" || name === "filesystem" ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
  for (const key of given.filter((name) => !held.includes(name)))
    assert.ok(
      keys.some((noted) => noted.startsWith(key)),
      key,
    );
  const nothing = { network: { allowUnixSockets: [], allowAllUnixSockets: false }, enableWeakerNestedSandbox: false, ignoreViolations: {} };
  assert.deepEqual(noteLines(imported("srt", srtText(nothing)).notes), [view]);
});

test("importSrt() passes no variable that credentials hide", () => {
  const { document } = imported("srt", srtText({ credentials: { envVars: [{ name: "LC_SECRET", mode: "deny" }] } }));
  assert.deepEqual(document.environment, { pass: ["CI", "LANG", "TERM", "TZ"] });
});

test("importSrt() refuses what forbids and cannot be held", () => {
  const denied = (filesystem: Readonly<Record<string, unknown>>, network = {}): readonly string[] =>
    refusals("srt", srtText({ filesystem, network })).map((line) => line.split(" ").slice(0, 2).join(" "));
  assert.deepEqual(denied({ denyRead: ["/"] }), ["POLICY_VALUE_INVALID import.deny-everything"]);
  assert.deepEqual(denied({ denyRead: ["**.pem"] }), ["POLICY_VALUE_INVALID policy.glob-stars"]);
  assert.deepEqual(denied({ denyRead: ["~other/x"] }), []);
  assert.deepEqual(denied({}, { deniedDomains: ["ex ample.com"] }), ["POLICY_VALUE_INVALID policy.host-shape"]);
  assert.deepEqual(denied({}, { deniedResolvedAddresses: ["10.0.0.300"] }), ["POLICY_VALUE_INVALID policy.cidr-shape"]);
});

test("importSrt() takes relative paths from where the settings mean them", () => {
  const text = srtText({ filesystem: { denyRead: ["a{1}", "**/*.key"], allowWrite: [".", "sub"] } });
  const { document } = imported("srt", text, { base: "/home/me/project/deep" });
  assert.deepEqual(document.filesystem?.denyRead, ["/home/me/project/deep/a\\{1\\}", "/home/me/project/deep/**/*.key"]);
  assert.deepEqual(document.filesystem?.allowWrite, ["/home/me/project/deep", "/home/me/project/deep/sub"]);
});
