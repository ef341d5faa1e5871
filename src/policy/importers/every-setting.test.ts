// importPolicy(): every setting that a tool's file can have changes the policy, or is noted, or holds here without being asked for. INVARIANT I-14
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import type { ImportFormat } from "../../contracts/policy-import.ts";
import { dottedKey } from "../key-path.ts";
import { isRecord, valueAt } from "../plain-value.ts";
import { facts, imported } from "../testing/imports.ts";
import { claudeCodeSchema } from "./claude-code-settings.ts";
import { codexConfigSchema, codexRequirementsSchema } from "./codex-settings.ts";
import { srtSettingsSchema } from "./srt-settings.ts";

type Path = readonly string[];

/** A name that stands in a table of names. */
const named = "mine";

/** Tables whose parts stand together or not at all. */
const undivided: ReadonlySet<string> = new Set(["mitmProxy", "ripgrep"]);

/** Every setting of a file; what stands in a list, and a choice of shapes, is one. */
function settingsOf(schema: unknown, at: Path = []): readonly Path[] {
  const properties = Object.entries(plainAt(schema, "properties"));
  if (undivided.has(at.at(-1) ?? "")) return [at];
  if (properties.length > 0) return properties.flatMap(([name, part]) => settingsOf(part, [...at, name]));
  const ofNames = plainAt(schema, "additionalProperties");
  return Object.keys(plainAt(ofNames, "properties")).length === 0 ? [at] : settingsOf(ofNames, [...at, named]);
}

function plainAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = valueAt(value, [key]);
  return isRecord(found) ? found : {};
}

/** JSON's scalars and lists are TOML's too. */
function tomlValue(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${JSON.stringify(key)} = ${tomlValue(part)}`)
    .join(", ")} }`;
}

const tomlText = (settings: ReadonlyMap<Path, unknown>): string =>
  [...settings].map(([path, value]) => `${path.map((name) => JSON.stringify(name)).join(".")} = ${tomlValue(value)}`).join("\n");

function nested(into: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  return { ...(isRecord(into) ? into : {}), [name]: nested(plainAt(into, name), rest, value) };
}

const jsonText = (settings: ReadonlyMap<Path, unknown>): string =>
  JSON.stringify([...settings].reduce<unknown>((whole, [path, value]) => nested(whole, path, value), {}));

/** Holds here whatever the file says: the value that does not is told apart by hand. */
const held = Symbol("held");

interface Kind {
  readonly from: ImportFormat;
  readonly label: string;
  readonly schema: z.ZodType;
  readonly write: (settings: ReadonlyMap<Path, unknown>) => string;
  readonly base: readonly (readonly [dotted: string, value: unknown])[];
  /** Dotted setting -> a value that asks for something. */
  readonly samples: Readonly<Record<string, unknown>>;
}

const credentials = {
  files: [{ path: "~/.aws/credentials", mode: "deny" }],
  envVars: [{ name: "LANG", mode: "deny" }],
  allowPlaintextInject: true,
  awsPairs: [{ accessKeyIdVar: "A", secretAccessKeyVar: "B" }],
  "sigv4.streaming": "deny",
  "sigv4.presigned": "deny",
  "sigv4.sigv4a": "deny",
};

const network = {
  allowedDomains: ["a.example"],
  deniedDomains: ["b.example"],
  // What no rule names is refused, and nobody is asked.
  strictAllowlist: held,
  allowUnixSockets: ["/run/x.sock"],
  allowAllUnixSockets: true,
  allowLocalBinding: true,
  allowMachLookup: ["x"],
  httpProxyPort: 8080,
  socksProxyPort: 1080,
  "tlsTerminate.caCertPath": "/a",
  "tlsTerminate.caKeyPath": "/b",
  "tlsTerminate.excludeDomains": ["c.example"],
  "tlsTerminate.extraCaCertPaths": ["/c"],
};

const filesystem = { disabled: true, denyRead: ["x"], allowRead: ["/srv/y"], allowWrite: ["/srv/z"], denyWrite: ["w"] };

const machine = {
  ignoreViolations: { "*": ["/usr"] },
  enableWeakerNestedSandbox: true,
  enableWeakerNetworkIsolation: true,
  allowAppleEvents: true,
  ripgrep: { command: "rg" },
  bwrapPath: "/usr/bin/bwrap",
  socatPath: "/usr/bin/socat",
};

const below = (at: string, samples: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(samples).map(([key, value]) => [`${at}.${key}`, value]));

const codexNetwork = {
  enabled: true,
  proxy_url: "http://127.0.0.1:1",
  socks_url: "http://127.0.0.1:2",
  enable_socks5: true,
  enable_socks5_udp: true,
  allow_upstream_proxy: true,
  allow_local_binding: true,
  dangerously_allow_non_loopback_proxy: true,
  dangerously_allow_all_unix_sockets: true,
  mode: "limited",
  domains: { "b.example": "deny" },
  unix_sockets: { "/run/x.sock": "allow" },
  mitm: { hooks: ["x"] },
};

const kinds: Readonly<Record<string, Kind>> = {
  srt: {
    from: "srt",
    label: "srt.json",
    schema: srtSettingsSchema(),
    write: jsonText,
    base: [
      ["network", { allowedDomains: [], deniedDomains: [] }],
      ["filesystem", { denyRead: [], allowWrite: [], denyWrite: [] }],
    ],
    samples: {
      ...below("network", network),
      "network.deniedDomainReasons": held,
      "network.deniedResolvedAddresses": ["203.0.113.0/24"],
      "network.mitmProxy": { socketPath: "/run/x.sock", domains: ["a.example"] },
      "network.parentProxy.http": "http://proxy.example",
      "network.parentProxy.https": "http://proxy.example",
      "network.parentProxy.noProxy": "x",
      ...below("filesystem", { ...filesystem, allowGitConfig: true }),
      ...below("credentials", credentials),
      ...machine,
      allowPty: true,
      mandatoryDenySearchDepth: 5,
      "seccomp.applyPath": "/a",
      "seccomp.argv0": "a",
      javaAgentJarPath: "/a.jar",
      "git.safeDirectories": ["/a"],
      "windows.sandboxUser": "a",
      "windows.sublayerGuid": "a",
      "windows.wfpSublayerGuid": "a",
      "windows.proxyPortRange": [1, 2],
      "windows.srtWin.path": "a",
    },
  },
  "claude-code": {
    from: "claude-code",
    label: `${facts.projectDirectory}/.claude/settings.json`,
    schema: claudeCodeSchema(),
    write: jsonText,
    base: [["sandbox", { enabled: true }]],
    samples: {
      ...below("sandbox", {
        enabled: false,
        failIfUnavailable: false,
        autoAllowBashIfSandboxed: false,
        allowUnsandboxedCommands: true,
        excludedCommands: ["docker"],
        ...below("network", { ...network, allowManagedDomainsOnly: true }),
        ...below("filesystem", { ...filesystem, allowManagedReadPathsOnly: true }),
        ...below("credentials", credentials),
        ...machine,
        allowNestedUserNamespaces: true,
      }),
      "permissions.allow": ["WebFetch(domain:a.example)"],
      "permissions.ask": ["Bash(git push:*)"],
      "permissions.deny": ["Read(./x)"],
      "permissions.additionalDirectories": ["/srv/z"],
    },
  },
  codex: {
    from: "codex",
    label: "config.toml",
    schema: codexConfigSchema(),
    write: tomlText,
    base: [["sandbox_mode", "workspace-write"]],
    samples: {
      sandbox_mode: "read-only",
      approval_policy: "on-request",
      approvals_reviewer: "auto_review",
      // Names one of the profiles, each of which is noted or holds.
      profile: held,
      "profiles.mine.sandbox_mode": "read-only",
      "profiles.mine.approval_policy": "never",
      "profiles.mine.approvals_reviewer": "auto_review",
      ...below("sandbox_workspace_write", {
        writable_roots: ["/srv/z"],
        network_access: true,
        exclude_tmpdir_env_var: true,
        exclude_slash_tmp: true,
      }),
      default_permissions: ":read-only",
      ...below("permissions.mine", {
        description: "x",
        extends: ":read-only",
        workspace_roots: { "/srv/z": true },
        filesystem: { "/srv/z": "deny" },
        ...below("network", codexNetwork),
      }),
      "features.network_proxy": true,
      ...below("shell_environment_policy", {
        inherit: "none",
        ignore_default_excludes: true,
        exclude: ["LANG"],
        include_only: ["LANG"],
        set: { CI: "1" },
        experimental_use_profile: true,
      }),
      projects: { "/a": { trust_level: "trusted" } },
      windows: { sandbox: "elevated" },
    },
  },
  "a chosen profile of codex": {
    from: "codex",
    label: "config.toml",
    schema: codexConfigSchema().pick({ permissions: true }),
    write: tomlText,
    base: [
      ["default_permissions", named],
      ["permissions.mine.extends", ":workspace"],
      ["permissions.mine.network.domains", { "a.example": "allow" }],
      ["permissions.mine.network.enabled", true],
    ],
    samples: below("permissions.mine", {
      description: held,
      extends: ":read-only",
      workspace_roots: { "/srv/z": true },
      filesystem: { "/srv/z": "deny" },
      ...below("network", { ...codexNetwork, enabled: false }),
    }),
  },
  "codex requirements": {
    from: "codex",
    label: "requirements.toml",
    schema: codexRequirementsSchema(),
    write: tomlText,
    base: [
      ["experimental_network.enabled", true],
      ["experimental_network.allowed_domains", ["a.example"]],
    ],
    samples: {
      allowed_sandbox_modes: ["read-only"],
      allowed_permission_profiles: ["x"],
      allowed_approval_policies: ["never"],
      ...below("experimental_network", {
        ...codexNetwork,
        enabled: false,
        http_port: 1,
        socks_port: 2,
        managed_allowed_domains_only: true,
        allowed_domains: [],
        denied_domains: ["b.example"],
        allow_unix_sockets: ["/run/x.sock"],
      }),
    },
  },
};

/** The later of two values of one setting holds. */
function textOf({ base, write }: Kind, dotted?: string, value?: unknown): string {
  const whole = new Map(base);
  if (dotted !== undefined) whole.set(dotted, value);
  return write(new Map([...whole].map(([key, each]) => [key.split("."), each])));
}

const isSaid = (dotted: string, noted: string): boolean =>
  noted === dotted || noted.startsWith(`${dotted}.`) || noted.startsWith(`${dotted}[`) || dotted.startsWith(`${noted}.`);

for (const [title, kind] of Object.entries(kinds)) {
  const { from, label, schema, samples } = kind;
  const settings = settingsOf(z.toJSONSchema(schema, { io: "input" })).map((path) => dottedKey(path));

  test(`the table of ${title} has every setting of its schema`, () => {
    assert.deepEqual(Object.keys(samples).toSorted(), settings.toSorted());
  });

  for (const [dotted, value] of Object.entries(samples).filter(([, each]) => each !== held))
    test(`${title}: ${dotted} changes the policy or is noted`, () => {
      const without = imported(from, textOf(kind), {}, label);
      const given = imported(from, textOf(kind, dotted, value), {}, label);
      const isNoted = given.notes.some(({ key }) => isSaid(dotted, key));
      assert.ok(isNoted || given.yaml !== without.yaml, `${JSON.stringify(value)} is dropped in silence`);
    });
}
