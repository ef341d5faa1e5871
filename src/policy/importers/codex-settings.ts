// Codex's `config.toml` and `requirements.toml`: the keys about its sandbox, closed; the rest of the files is not about what a sandbox may do.
import * as z from "zod";
import { madeOnce } from "../../contracts/made-once.ts";
import { listOf } from "../../contracts/policy-values.ts";
import { lazily } from "../../kit/lazily.ts";
import { openSchemaMap } from "../schema-map.ts";
import { text, texts } from "./sandbox-settings.ts";

const flag = () => z.boolean().optional();

const sandboxMode = () => z.enum(["read-only", "workspace-write", "danger-full-access"]);
const approvalWord = () => z.enum(["untrusted", "on-failure", "on-request", "never"]);

const approvalPolicy = () =>
  z.union([
    approvalWord(),
    z.strictObject({
      granular: z.strictObject({
        sandbox_approval: z.boolean(),
        rules: z.boolean(),
        mcp_elicitations: z.boolean(),
        request_permissions: flag(),
        skill_approval: flag(),
      }),
    }),
  ]);

const pathMode = () => z.enum(["read", "write", "deny", "none"]);
export type PathMode = z.infer<ReturnType<typeof pathMode>>;

const ruling = () => z.record(z.string(), z.enum(["allow", "deny"])).optional();

const networkSchema = () =>
  z.strictObject({
    enabled: flag(),
    proxy_url: text().optional(),
    socks_url: text().optional(),
    enable_socks5: flag(),
    enable_socks5_udp: flag(),
    allow_upstream_proxy: flag(),
    allow_local_binding: flag(),
    dangerously_allow_non_loopback_proxy: flag(),
    dangerously_allow_all_unix_sockets: flag(),
    mode: z.enum(["limited", "full"]).optional(),
    domains: ruling(),
    unix_sockets: ruling(),
    mitm: z.looseObject({}).optional(),
  });
export type CodexNetwork = z.infer<ReturnType<typeof networkSchema>>;

const profileSchema = () =>
  z.strictObject({
    description: z.string().optional(),
    extends: text().optional(),
    workspace_roots: z.record(z.string(), z.boolean()).optional(),
    /** A number stands only under `glob_scan_max_depth`. */
    filesystem: z.record(z.string(), z.union([pathMode(), z.record(z.string(), pathMode()), z.int().min(1)])).optional(),
    network: networkSchema().optional(),
  });
export type CodexProfile = z.infer<ReturnType<typeof profileSchema>>;

const environmentSchema = () =>
  z.strictObject({
    inherit: z.enum(["all", "core", "none"]).optional(),
    ignore_default_excludes: flag(),
    exclude: texts().optional(),
    include_only: texts().optional(),
    set: z.record(z.string(), z.string()).optional(),
    experimental_use_profile: flag(),
  });
export type CodexEnvironment = z.infer<ReturnType<typeof environmentSchema>>;

/** What a profile of `[profiles.NAME]` may say in the place of the file; the rest of it is not about what a sandbox may do. */
const overridable = () => ({
  sandbox_mode: sandboxMode().optional(),
  approval_policy: approvalPolicy().optional(),
  approvals_reviewer: z.enum(["user", "auto_review"]).optional(),
});

export const codexConfigSchema = madeOnce(() =>
  z.looseObject({
    ...overridable(),
    profile: text().optional(),
    profiles: z.record(z.string(), z.looseObject(overridable())).optional(),
    sandbox_workspace_write: z
      .strictObject({
        writable_roots: texts().optional(),
        network_access: flag(),
        exclude_tmpdir_env_var: flag(),
        exclude_slash_tmp: flag(),
      })
      .optional(),
    default_permissions: text().optional(),
    permissions: z.record(z.string(), profileSchema()).optional(),
    features: z.looseObject({ network_proxy: z.union([z.boolean(), z.looseObject({})]).optional() }).optional(),
    shell_environment_policy: environmentSchema().optional(),
    projects: z.record(z.string(), z.looseObject({})).optional(),
    windows: z.looseObject({}).optional(),
  }),
);
export type CodexConfig = z.infer<ReturnType<typeof codexConfigSchema>>;

export const codexRequirementsSchema = madeOnce(() =>
  z.looseObject({
    allowed_sandbox_modes: listOf(sandboxMode()).optional(),
    allowed_permission_profiles: z.union([texts(), z.record(z.string(), z.boolean())]).optional(),
    allowed_approval_policies: listOf(approvalWord()).optional(),
    experimental_network: z
      .strictObject({
        ...networkSchema().shape,
        http_port: z.int().optional(),
        socks_port: z.int().optional(),
        managed_allowed_domains_only: flag(),
        allowed_domains: texts().optional(),
        denied_domains: texts().optional(),
        allow_unix_sockets: texts().optional(),
      })
      .optional(),
  }),
);
export type CodexRequirements = z.infer<ReturnType<typeof codexRequirementsSchema>>;

export const codexConfigMap = openSchemaMap(lazily(() => z.toJSONSchema(codexConfigSchema(), { io: "input" })));
export const codexRequirementsMap = openSchemaMap(lazily(() => z.toJSONSchema(codexRequirementsSchema(), { io: "input" })));
