// importClaudeCode(): a table of settings, the policy that they become, and what is noted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { imported, noteLines, refusals } from "../testing/imports.ts";

interface Row {
  readonly title: string;
  readonly settings: unknown;
  /** Where the file is; the project's own unless given. */
  readonly label?: string;
  /** Key of the document, dotted -> what stands there. */
  readonly policy: Readonly<Record<string, unknown>>;
  /** `kind key reason`, beside what is always noted. */
  readonly notes?: readonly string[];
}

const own = "/home/me/project/.claude/settings.json";
const always = ["stricter sandbox.filesystem default-view"];

const rows: readonly Row[] = [
  {
    title: "an empty file is the project, walled",
    settings: {},
    policy: { "filesystem.allowWrite": ["."], "filesystem.denyRead": [], egress: [], allowLocal: [] },
    notes: ["refused sandbox.enabled always"],
  },
  {
    title: "the spellings of paths: absolute by one or two slashes, home, relative to the project",
    settings: {
      sandbox: { enabled: true, filesystem: { allowWrite: ["//srv/a", "/srv/b", "~/c", "./d", "e"], denyRead: ["secrets/**"] } },
    },
    policy: {
      "filesystem.allowWrite": [".", "/srv/a", "/srv/b", "~/c", "./d", "./e"],
      "filesystem.denyRead": ["./secrets"],
    },
    notes: [],
  },
  {
    title: "a user's own file: relative to its directory",
    label: "/home/me/.claude/settings.json",
    settings: {
      sandbox: { enabled: true, filesystem: { denyRead: ["x"] } },
      permissions: { deny: ["Read(/y)", "Read(./z/w)", "Read(.env)"] },
    },
    policy: {
      "filesystem.denyRead": ["/home/me/.claude/x", "/home/me/.claude/y", "/home/me/.claude/z/w", "/home/me/.claude/**/.env"],
    },
  },
  {
    title: "rules of permission that the sandbox follows",
    settings: {
      sandbox: { enabled: true },
      permissions: {
        allow: ["WebFetch(domain:api.example.com)", "Bash(npm test)"],
        ask: ["Bash(git push:*)"],
        deny: [
          "Read(./.env)",
          "Read(secrets.txt)",
          "Read(//srv/x)",
          "Edit(/generated/**)",
          "Edit(*.lock)",
          "WebFetch(domain:*.evil.example)",
          "Bash",
        ],
      },
    },
    policy: {
      "filesystem.denyRead": ["./.env", "./**/secrets.txt", "/srv/x", "./**/*.lock"],
      "filesystem.denyWrite": ["./generated"],
      egress: [
        { id: "claude-code-allow", hosts: ["api.example.com"], protocols: ["https", "http", "ssh"], verdict: "allow" },
        { id: "claude-code-deny-1", hosts: ["*.evil.example"], verdict: "deny" },
      ],
    },
    notes: [
      "inert permissions.allow[1] permission",
      "inert permissions.ask[0] permission",
      "inert permissions.deny[6] permission",
      "stricter permissions.allow usual-ports",
      "stricter permissions.deny[4] deny-write-glob",
    ],
  },
  {
    title: "directories beside the project stay closed until the policy opens them",
    settings: { sandbox: { enabled: true }, permissions: { additionalDirectories: ["../other", "~/notes"] } },
    policy: { "filesystem.allowRead": [], "filesystem.allowWrite": ["."] },
    notes: ["stricter permissions.additionalDirectories additional-directories"],
  },
  {
    title: "no directories beside the project are nothing to speak of",
    settings: { sandbox: { enabled: true }, permissions: { additionalDirectories: [] } },
    policy: { "filesystem.allowWrite": ["."] },
    notes: [],
  },
  {
    title: "whether a command is asked about, only where it is said",
    settings: { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } },
    policy: { approval: "auto-allow" },
  },
  {
    title: "asked about",
    settings: { sandbox: { enabled: true, autoAllowBashIfSandboxed: false } },
    policy: { approval: { granular: { commands: "ask" } } },
  },
  {
    title: "what would run outside runs inside, without a question",
    settings: {
      sandbox: { enabled: true, excludedCommands: ["docker", "git push *", "make:*", "a|b", "x*y"], allowUnsandboxedCommands: true },
    },
    policy: {
      allowUnsandboxed: undefined,
      outside: undefined,
      commands: [
        { id: "claude-code-1", match: { argvPrefix: ["docker"] }, verdict: "allow" },
        { id: "claude-code-2", match: { argvPrefix: ["git", "push"] }, verdict: "allow" },
        { id: "claude-code-3", match: { argvPrefix: ["make"] }, verdict: "allow" },
      ],
    },
    notes: [
      "refused sandbox.allowUnsandboxedCommands unsandboxed",
      ...[0, 1, 2, 3, 4].map((index) => `refused sandbox.excludedCommands[${index}] excluded`),
    ],
  },
  {
    title: "every switch that weakens is refused, and what has nothing to act on is named",
    settings: {
      sandbox: {
        enabled: false,
        network: {
          allowUnixSockets: ["/x"],
          allowAllUnixSockets: true,
          httpProxyPort: 1,
          socksProxyPort: 1,
          allowManagedDomainsOnly: true,
        },
        filesystem: { disabled: true, allowManagedReadPathsOnly: true },
        enableWeakerNestedSandbox: true,
        enableWeakerNetworkIsolation: true,
        allowNestedUserNamespaces: true,
        allowAppleEvents: true,
        ignoreViolations: { "*": ["/x"] },
        bwrapPath: "/x",
      },
    },
    policy: { nestedNamespaces: undefined, "filesystem.allowWrite": ["."] },
    notes: [
      "refused sandbox.enabled always",
      "refused sandbox.network.allowUnixSockets unix-sockets",
      "refused sandbox.network.allowAllUnixSockets unix-sockets",
      "refused sandbox.network.httpProxyPort other-proxy",
      "refused sandbox.network.socksProxyPort other-proxy",
      "inert sandbox.network.allowManagedDomainsOnly managed",
      "inert sandbox.filesystem.allowManagedReadPathsOnly managed",
      "refused sandbox.filesystem.disabled disabled",
      "refused sandbox.enableWeakerNestedSandbox weaker",
      "refused sandbox.enableWeakerNetworkIsolation weaker",
      "refused sandbox.allowNestedUserNamespaces nested",
      "inert sandbox.allowAppleEvents other-system",
      "inert sandbox.ignoreViolations violations",
      "inert sandbox.bwrapPath own-programs",
    ],
  },
  {
    title: "keys of the file that are not about the sandbox say nothing",
    settings: { model: "x", hooks: {}, permissions: { defaultMode: "plan" }, sandbox: { enabled: true } },
    policy: {},
    notes: [],
  },
];

function valueAt(document: unknown, dotted: string): unknown {
  let value = document;
  for (const step of dotted.split(".")) value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

test("importClaudeCode() each row", () => {
  for (const { title, settings, label = own, policy, notes } of rows) {
    const { document, notes: found } = imported("claude-code", JSON.stringify(settings), {}, label);
    for (const [key, expected] of Object.entries(policy)) assert.deepEqual(valueAt(document, key), expected, `${title}: ${key}`);
    if (notes !== undefined) assert.deepEqual(noteLines(found).toSorted(), [...always, ...notes].toSorted(), title);
  }
});

test("importClaudeCode() refuses a key of the sandbox that it does not know, and names the nearest", () => {
  assert.deepEqual(refusals("claude-code", '{"sandbox": {"filesystem": {"denyRaed": ["x"]}}}'), [
    "POLICY_KEY_UNKNOWN import.key-unknown-near 1 sandbox.filesystem.denyRaed",
  ]);
  assert.deepEqual(refusals("claude-code", '{"sandbox": {"enabled": "yes"}}'), [
    "POLICY_VALUE_INVALID policy.value-type 1 sandbox.enabled",
  ]);
});

test("importClaudeCode() refuses a rule that forbids and cannot be held", () => {
  assert.deepEqual(refusals("claude-code", '{"permissions": {"deny": ["Read(a/{b)"]}}'), []);
  assert.deepEqual(refusals("claude-code", '{"permissions": {"deny": ["Read(x***y)"]}}'), [
    "POLICY_VALUE_INVALID policy.glob-stars 1 permissions.deny[0]",
  ]);
});
