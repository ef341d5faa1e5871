// The parts of a settings file that srt and Claude Code share, as schemas. What they name and this machine has not is in the importers.
import * as z from "zod";
import { listOf } from "../../contracts/policy-values.ts";

export const text = () => z.string().min(1).max(4096);
export const texts = () => listOf(text());
const port = () => z.int().min(1).max(65_535);

const masking = () => ({
  mode: z.enum(["deny", "mask"]),
  extract: z.string().optional(),
  onExtractNoMatch: z.enum(["warn", "deny", "error"]).optional(),
  decode: z.enum(["jwt"]).optional(),
  maskClaims: texts().optional(),
  maskDuplicates: z.boolean().optional(),
  injectHosts: texts().optional(),
});

const shape = () => z.enum(["deny", "passthrough"]).optional();

/** The same in both tools. */
export const credentialsSchema = () =>
  z.strictObject({
    files: listOf(z.strictObject({ path: text(), ...masking() })).optional(),
    envVars: listOf(z.strictObject({ name: text(), ...masking() })).optional(),
    allowPlaintextInject: z.boolean().optional(),
    awsPairs: listOf(z.strictObject({ accessKeyIdVar: text(), secretAccessKeyVar: text(), sessionTokenVar: text().optional() })).optional(),
    sigv4: z.strictObject({ streaming: shape(), presigned: shape(), sigv4a: shape() }).optional(),
  });
export type CredentialSettings = z.infer<ReturnType<typeof credentialsSchema>>;

/** Keys of `network` that both have; their lists of domains differ in being required. */
export const networkKeys = () => ({
  strictAllowlist: z.boolean().optional(),
  allowUnixSockets: texts().optional(),
  allowAllUnixSockets: z.boolean().optional(),
  allowLocalBinding: z.boolean().optional(),
  allowMachLookup: texts().optional(),
  httpProxyPort: port().optional(),
  socksProxyPort: port().optional(),
  tlsTerminate: z
    .strictObject({
      caCertPath: text().optional(),
      caKeyPath: text().optional(),
      excludeDomains: texts().optional(),
      extraCaCertPaths: texts().optional(),
    })
    .optional(),
});

/** Keys beside `network`, `filesystem` and `credentials` that both have. */
export const machineKeys = () => ({
  ignoreViolations: z.record(z.string(), texts()).optional(),
  enableWeakerNestedSandbox: z.boolean().optional(),
  enableWeakerNetworkIsolation: z.boolean().optional(),
  allowAppleEvents: z.boolean().optional(),
  ripgrep: z.strictObject({ command: text(), args: z.array(z.string()).optional(), argv0: text().optional() }).optional(),
  bwrapPath: text().optional(),
  socatPath: text().optional(),
});
