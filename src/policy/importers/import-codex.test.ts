// importCodexConfig() and importCodexRequirements(): a table of files, the policy that they become, and what is noted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { imported, noteLines, refusals } from "../testing/imports.ts";

interface Row {
  readonly title: string;
  readonly text: string;
  readonly label?: string;
  /** Key of the document, dotted -> what stands there. */
  readonly policy: Readonly<Record<string, unknown>>;
  /** `kind key reason`; absent: not looked at. */
  readonly notes?: readonly string[];
}

const frozen = (root: string): readonly string[] => [".git", ".codex", ".agents"].map((name) => `${root}/${name}`);
const requirements = "/etc/codex/requirements.toml";

const oldRows: readonly Row[] = [
  {
    title: "no mode",
    text: "model = 'x'\n",
    policy: { "filesystem.allowWrite": [], egress: [], allowLocal: [], approval: undefined },
    notes: ["stricter sandbox_mode default-view", "inert sandbox_mode no-mode"],
  },
  { title: "read-only", text: 'sandbox_mode = "read-only"\n', policy: { "filesystem.allowWrite": [] } },
  {
    title: "workspace-write keeps what Codex keeps read-only",
    text: 'sandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nwritable_roots = ["/srv/a", "rel"]\nnetwork_access = true\nexclude_slash_tmp = true\n',
    policy: { "filesystem.allowWrite": [".", "/srv/a"], "filesystem.denyWrite": [...frozen("."), ...frozen("/srv/a")], egress: [] },
    notes: [
      "stricter sandbox_mode default-view",
      "stricter sandbox_mode own-tree",
      "refused sandbox_workspace_write.writable_roots[1] path-shape",
      "refused sandbox_workspace_write.network_access network-all",
      "inert sandbox_workspace_write.exclude_slash_tmp own-temporary",
    ],
  },
  {
    title: "full access is the project",
    text: 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\napprovals_reviewer = "auto_review"\n',
    policy: { "filesystem.allowWrite": ["."], allowUnsandboxed: undefined, approval: "never", egress: [] },
    notes: [
      "stricter sandbox_mode default-view",
      "stricter sandbox_mode own-tree",
      "refused sandbox_mode full-access",
      "refused approvals_reviewer reviewer",
    ],
  },
  {
    title: "a profile that the file chooses stands over it, key by key",
    text: 'profile = "p"\nsandbox_mode = "danger-full-access"\napproval_policy = "on-request"\n[profiles.p]\nmodel = "x"\nsandbox_mode = "read-only"\n[profiles.q]\nsandbox_mode = "danger-full-access"\n',
    policy: { "filesystem.allowWrite": [], approval: "auto-allow" },
    notes: ["refused approval_policy escalation", "stricter profiles.p.sandbox_mode default-view", "inert profiles.q profile-unchosen"],
  },
  { title: "untrusted asks about all", text: 'approval_policy = "untrusted"\n', policy: { approval: { granular: { commands: "ask" } } } },
  { title: "on-request never leaves", text: 'approval_policy = "on-request"\n', policy: { approval: "auto-allow" } },
  {
    title: "granular without questions",
    text: "[approval_policy.granular]\nsandbox_approval = false\nrules = false\nmcp_elicitations = true\n",
    policy: { approval: "never" },
  },
  {
    title: "the old style holds where both stand",
    text: 'sandbox_mode = "read-only"\ndefault_permissions = ":workspace"\n[projects."/x"]\ntrust_level = "trusted"\n',
    policy: { "filesystem.allowWrite": [] },
    notes: ["stricter sandbox_mode default-view", "inert default_permissions old-style", "inert projects trust"],
  },
];

const profile = (body: string): string => `default_permissions = "mine"\n${body}`;

const newRows: readonly Row[] = [
  { title: "built-in read-only", text: 'default_permissions = ":read-only"\n', policy: { "filesystem.allowWrite": [], egress: [] } },
  {
    title: "built-in workspace",
    text: 'default_permissions = ":workspace"\n',
    policy: { "filesystem.allowWrite": ["."], "filesystem.denyWrite": frozen("."), "filesystem.denyRead": [] },
  },
  {
    title: "built-in full access",
    text: 'default_permissions = ":danger-full-access"\n',
    policy: { "filesystem.allowWrite": ["."], egress: [] },
  },
  {
    title: "a profile with places, patterns and a parent",
    text: profile(`[permissions.base]
extends = ":read-only"
[permissions.base.filesystem]
"~/.ssh" = "deny"
"/srv/data" = "write"
[permissions.mine]
extends = "base"
workspace_roots = {"/srv/more" = true, "/srv/not" = false}
[permissions.mine.filesystem]
":workspace_roots" = {"." = "write", "docs" = "read", "**/*.env" = "none"}
"/srv/data" = "read"
":slash_tmp" = "write"
glob_scan_max_depth = 3
`),
    policy: {
      "filesystem.allowWrite": [".", "/srv/more"],
      "filesystem.allowRead": ["./docs", "/srv/more/docs", "/srv/data"],
      "filesystem.denyRead": ["./**/*.env", "/srv/more/**/*.env", "~/.ssh"],
      "filesystem.denyWrite": ["./docs", "/srv/more/docs", ...frozen("."), ...frozen("/srv/more")],
    },
    notes: [
      'stricter permissions.mine.filesystem[":slash_tmp"] own-tree',
      "inert permissions.mine.filesystem.glob_scan_max_depth search-depth",
      "stricter default_permissions default-view",
    ],
  },
  {
    title: "a profile that does not show the whole disk hides what of the default view can be hidden",
    text: profile('[permissions.mine.filesystem]\n":minimal" = "read"\n":project_roots" = "write"\n'),
    policy: { "filesystem.denyRead": ["/opt"], "filesystem.allowWrite": ["."] },
    notes: ["refused default_permissions minimal"],
  },
  {
    title: "a deeper write below a place that is read",
    text: profile('[permissions.mine.filesystem]\n":root" = "read"\n":workspace_roots" = {"." = "write", "a" = "read", "a/b" = "write"}\n'),
    policy: { "filesystem.denyWrite": ["./a", ...frozen(".")] },
    notes: [
      'stricter permissions.mine.filesystem[":root"] default-view',
      'stricter permissions.mine.filesystem[":workspace_roots"]["a/b"] write-below',
    ],
  },
  {
    title: "hosts of a network that is enabled",
    text: profile(`[permissions.mine]
extends = ":workspace"
[permissions.mine.network]
enabled = true
proxy_url = "http://127.0.0.1:1"
dangerously_allow_all_unix_sockets = true
domains = {"api.example.com" = "allow", "**.example.org" = "allow", "*" = "allow", "bad.example.org" = "deny"}
`),
    policy: {
      egress: [
        { id: "codex-allow", hosts: ["api.example.com", "**.example.org"], protocols: ["https", "http", "ssh"], verdict: "allow" },
        { id: "codex-deny-1", hosts: ["bad.example.org"], verdict: "deny" },
      ],
    },
  },
  {
    title: "hosts of a network that is not",
    text: profile('[permissions.mine.network]\ndomains = {"api.example.com" = "allow"}\n'),
    policy: { egress: [] },
  },
  {
    title: "a limited network opens nothing, since TLS is not looked into",
    text: profile('[permissions.mine.network]\nenabled = true\nmode = "limited"\ndomains = {"api.example.com" = "allow"}\n'),
    policy: { egress: [] },
  },
];

const environmentRows: readonly Row[] = [
  {
    title: "everything is inherited: only the lists pass",
    text: '[shell_environment_policy]\nexclude = ["LC_*", "*SECRET*"]\nset = {A = "1", GLOVEBOX_X = "2"}\n',
    policy: { "environment.pass": [], "environment.set": { A: "1" } },
  },
  { title: "nothing", text: '[shell_environment_policy]\ninherit = "none"\n', policy: { "environment.pass": [] } },
  {
    title: "a list",
    text: '[shell_environment_policy]\ninclude_only = ["CARGO_*", "LD_PRELOAD", "A?", "AWS_KEY"]\nexclude = ["AWS_*"]\n',
    policy: { "environment.pass": ["CARGO_*"] },
  },
];

const requirementRows: readonly Row[] = [
  {
    title: "the widest mode that is allowed, and its hosts",
    label: requirements,
    text: `allowed_sandbox_modes = ["read-only", "workspace-write"]
allowed_approval_policies = ["never"]
allowed_permission_profiles = ["mine"]
[experimental_network]
enabled = true
allowed_domains = ["api.example.com:443"]
denied_domains = ["bad.example.com"]
managed_allowed_domains_only = true
`,
    policy: {
      approval: "never",
      "filesystem.allowWrite": ["."],
      egress: [
        { id: "codex-allow-443", hosts: ["api.example.com"], ports: [443], protocols: ["https"], verdict: "allow" },
        { id: "codex-deny-1", hosts: ["bad.example.com"], verdict: "deny" },
      ],
    },
    notes: [
      "stricter allowed_sandbox_modes default-view",
      "inert allowed_permission_profiles profiles-elsewhere",
      "inert experimental_network.managed_allowed_domains_only managed",
    ],
  },
  {
    title: "read-only alone",
    label: requirements,
    text: 'allowed_sandbox_modes = ["read-only"]\n',
    policy: { "filesystem.allowWrite": [] },
  },
];

function valueAt(document: unknown, dotted: string): unknown {
  let value = document;
  for (const step of dotted.split(".")) value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

test("importCodexConfig() and importCodexRequirements() each row", () => {
  for (const { title, text, label, policy, notes } of [...oldRows, ...newRows, ...environmentRows, ...requirementRows]) {
    const { document, notes: found } = imported("codex", text, {}, label);
    for (const [key, expected] of Object.entries(policy)) assert.deepEqual(valueAt(document, key), expected, `${title}: ${key}`);
    if (notes !== undefined) assert.deepEqual(noteLines(found).toSorted(), notes.toSorted(), title);
  }
});

test("importCodexConfig() notes each key of a network that is inert or refused", () => {
  const keys =
    "proxy_url = 'x'\nsocks_url = 'x'\nenable_socks5 = true\nenable_socks5_udp = true\nallow_upstream_proxy = true\nallow_local_binding = true\ndangerously_allow_non_loopback_proxy = true\ndangerously_allow_all_unix_sockets = true\nunix_sockets = {'/x' = 'allow'}\nmitm = {hooks = []}\n";
  const { notes } = imported("codex", `default_permissions = "mine"\n[permissions.mine.network]\n${keys}`);
  for (const line of keys.trim().split("\n")) {
    const key = `permissions.mine.network.${line.split(" ")[0] ?? ""}`;
    assert.ok(
      notes.some((note) => note.key.startsWith(key)),
      key,
    );
  }
});

test("importCodexConfig() refuses what it cannot understand", () => {
  const rows: readonly (readonly [text: string, refusal: string])[] = [
    ['sandbox_mode = "workspace-writ"\n', "POLICY_VALUE_INVALID policy.value-choice-near"],
    ["[sandbox_workspace_write]\nwritable_root = []\n", "POLICY_KEY_UNKNOWN import.key-unknown-near"],
    ['profile = "absent"\n[profiles.other]\n', "POLICY_VALUE_INVALID import.profile-unknown"],
    ['default_permissions = "absent"\n', "POLICY_VALUE_INVALID import.profile-unknown"],
    [profile('[permissions.mine]\nextends = "mine"\n'), "POLICY_VALUE_INVALID import.profile-circle"],
    [profile('[permissions.mine.filesystem]\n":odd" = "deny"\n'), "POLICY_VALUE_INVALID import.place-unknown"],
    [profile('[permissions.mine.filesystem]\n"/x" = 3\n'), "POLICY_VALUE_INVALID import.place-unknown"],
    ["not toml", "POLICY_SYNTAX import.unreadable"],
  ];
  for (const [text, refusal] of rows) {
    const found = refusals("codex", text).map((line) => line.split(" ").slice(0, 2).join(" "));
    assert.deepEqual(found, [refusal], text);
  }
});
