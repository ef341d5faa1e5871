// `.srt-settings.json` of sandbox-runtime 0.0.78, closed: a key that it does not know is a mistake, and might have been a rule that forbids.
import * as z from "zod";
import { madeOnce } from "../../contracts/made-once.ts";
import { listOf } from "../../contracts/policy-values.ts";
import { lazily } from "../../kit/lazily.ts";
import { openSchemaMap } from "../schema-map.ts";
import { credentialsSchema, machineKeys, networkKeys, text, texts } from "./sandbox-settings.ts";

const networkSchema = () =>
  z.strictObject({
    allowedDomains: texts(),
    deniedDomains: texts(),
    deniedDomainReasons: z.record(z.string(), text()).optional(),
    deniedResolvedAddresses: texts().optional(),
    ...networkKeys(),
    mitmProxy: z.strictObject({ socketPath: text(), domains: texts() }).optional(),
    parentProxy: z.strictObject({ http: text().optional(), https: text().optional(), noProxy: z.string().optional() }).optional(),
  });

const filesystemSchema = () =>
  z.strictObject({
    disabled: z.boolean().optional(),
    denyRead: texts(),
    allowRead: texts().optional(),
    allowWrite: texts(),
    denyWrite: texts(),
    allowGitConfig: z.boolean().optional(),
  });

const windowsSchema = () =>
  z.strictObject({
    sandboxUser: text().optional(),
    sublayerGuid: text().optional(),
    wfpSublayerGuid: text().optional(),
    proxyPortRange: z.array(z.int()).optional(),
    srtWin: z.strictObject({ path: text() }).optional(),
  });

export const srtSettingsSchema = madeOnce(() =>
  z.strictObject({
    network: networkSchema(),
    filesystem: filesystemSchema(),
    credentials: credentialsSchema().optional(),
    ...machineKeys(),
    allowPty: z.boolean().optional(),
    mandatoryDenySearchDepth: z.int().min(1).max(10).optional(),
    seccomp: z.strictObject({ applyPath: text().optional(), argv0: text().optional() }).optional(),
    javaAgentJarPath: text().optional(),
    git: z.strictObject({ safeDirectories: listOf(text()).optional() }).optional(),
    windows: windowsSchema().optional(),
  }),
);
export type SrtSettings = z.infer<ReturnType<typeof srtSettingsSchema>>;

export const srtMap = openSchemaMap(lazily(() => z.toJSONSchema(srtSettingsSchema(), { io: "input" })));
