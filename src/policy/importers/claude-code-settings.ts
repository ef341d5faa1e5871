// Claude Code's `settings.json`: the keys about its sandbox, closed; the rest of the file is not about what a sandbox may do.
import * as z from "zod";
import { madeOnce } from "../../contracts/made-once.ts";
import { listOf } from "../../contracts/policy-values.ts";
import { lazily } from "../../kit/lazily.ts";
import { openSchemaMap } from "../schema-map.ts";
import { credentialsSchema, machineKeys, networkKeys, text, texts } from "./sandbox-settings.ts";

const flag = () => z.boolean().optional();

const networkSchema = () =>
  z.strictObject({
    allowedDomains: texts().optional(),
    deniedDomains: texts().optional(),
    ...networkKeys(),
    allowManagedDomainsOnly: flag(),
  });

const filesystemSchema = () =>
  z.strictObject({
    allowWrite: texts().optional(),
    denyWrite: texts().optional(),
    denyRead: texts().optional(),
    allowRead: texts().optional(),
    allowManagedReadPathsOnly: flag(),
    disabled: flag(),
  });

const sandboxSchema = () =>
  z.strictObject({
    enabled: flag(),
    failIfUnavailable: flag(),
    autoAllowBashIfSandboxed: flag(),
    allowUnsandboxedCommands: flag(),
    excludedCommands: texts().optional(),
    network: networkSchema().optional(),
    filesystem: filesystemSchema().optional(),
    credentials: credentialsSchema().optional(),
    ...machineKeys(),
    allowNestedUserNamespaces: flag(),
  });

/** Modes are the tool's own questions; what they say is not looked at. */
const permissionsSchema = () =>
  z.looseObject({
    allow: listOf(text()).optional(),
    ask: listOf(text()).optional(),
    deny: listOf(text()).optional(),
    additionalDirectories: texts().optional(),
  });

export const claudeCodeSchema = madeOnce(() =>
  z.looseObject({ sandbox: sandboxSchema().optional(), permissions: permissionsSchema().optional() }),
);
export type ClaudeCodeSettings = z.infer<ReturnType<typeof claudeCodeSchema>>;

export const claudeCodeMap = openSchemaMap(lazily(() => z.toJSONSchema(claudeCodeSchema(), { io: "input" })));
