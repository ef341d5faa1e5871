// npm: its own merged configuration says where the registries are; its files say who wrote that. Nothing of a project decides.
import { isRecord } from "../plain-value.ts";
import { type ConfigFile, type PresetFacts, type PresetSource, PresetFault } from "../../contracts/preset.ts";
import { npmEntries } from "./ini-entries.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes, projectNotes } from "./project-asks.ts";
import { requireRegistryUrl } from "./registry-url.ts";

/** Settings that lead to no host and hold no secret, without which a client inside would not be the user's. */
const plainSettings = ["strict-ssl", "replace-registry-host"] as const;

/** `_authToken`, `//host/:_password`, an address with a password. */
const isSecret = ({ key, value }: { readonly key: string; readonly value: string }): boolean =>
  /(?:^|:)_(?:auth|authtoken|password)$|(?:^|:)(?:username|certfile|keyfile|key|cert)$/iu.test(key) || /:\/\/[^/\s]*@/u.test(value);

function configOf(facts: PresetFacts): Readonly<Record<string, unknown>> {
  const answer = facts.answers["config"] ?? "";
  try {
    const parsed: unknown = JSON.parse(answer);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Falls through to the refusal: what cannot be read is not guessed.
  }
  throw new PresetFault("POLICY_UNREADABLE", "preset.answer-unreadable", { tool: "npm config ls -l --json" });
}

const isRegistryKey = (key: string): boolean => key === "registry" || /^@[^:\s/]+:registry$/u.test(key);

/** Who set a key: the caller's variable, the strongest file, or npm itself. */
function sourceOf(key: string, facts: PresetFacts): { readonly source: string; readonly isDefault: boolean; readonly isVariable: boolean } {
  const wanted = `npm_config_${key.replaceAll("-", "_")}`.toLowerCase();
  const variable = Object.keys(facts.environment).find((name) => name.toLowerCase().replaceAll("-", "_") === wanted);
  if (variable !== undefined) return { source: variable, isDefault: false, isVariable: true };
  const files = facts.files.filter(({ level }) => level !== "project");
  const file = files.findLast(({ text }) => npmEntries(text).some((entry) => entry.key === key));
  return file === undefined
    ? { source: "npm", isDefault: true, isVariable: false }
    : { source: file.path, isDefault: false, isVariable: false };
}

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly isVariable: boolean;
}

function settingLines(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const lines = settings.filter(({ isVariable }) => !isVariable).map(({ key, value }) => `${key}=${value}\n`);
  return lines.length === 0 ? {} : { ".npmrc": lines.join("") };
}

function settingVariables(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const ofVariables = settings.filter(({ isVariable }) => isVariable);
  return Object.fromEntries(ofVariables.map(({ key, value }) => [`npm_config_${key.replaceAll("-", "_")}`, value]));
}

/** A line break would be a setting of its own in the file that is written. */
function oneLine(key: string, value: string, source: string): string {
  if (/[\r\n\0]/u.test(value)) throw new PresetFault("POLICY_VALUE_INVALID", "preset.value-invalid", { what: `npm: ${key}`, source });
  return value;
}

function plainOnes(config: Readonly<Record<string, unknown>>, facts: PresetFacts): readonly Setting[] {
  return [...plainSettings, "cafile"].flatMap((key): Setting[] => {
    const value = config[key];
    const { source, isDefault, isVariable } = sourceOf(key, facts);
    const isTold = typeof value === "string" || typeof value === "boolean";
    return isTold && !isDefault ? [{ key, value: oneLine(key, String(value), source), source, isVariable }] : [];
  });
}

function projectAsks(files: readonly ConfigFile[]) {
  return files
    .filter(({ level }) => level === "project")
    .flatMap(({ path, text }) =>
      npmEntries(text)
        .filter(({ key }) => isRegistryKey(key))
        .map(({ key, value, line }) => ({ text: value, what: `npm: ${key}`, file: path, line })),
    );
}

/** @throws PresetFault when npm's answer or a registry cannot be understood */
export function readNodePreset(facts: PresetFacts): PresetReading {
  const config = configOf(facts);
  const settings: Setting[] = [];
  const endpoints: Endpoint[] = [];
  for (const [key, value] of Object.entries(config)) {
    if (!isRegistryKey(key)) continue;
    const { source, isDefault, isVariable } = sourceOf(key, facts);
    const url = requireRegistryUrl(typeof value === "string" ? value : "", `npm: ${key}`, source);
    endpoints.push({ url, what: `npm: ${key}`, source });
    if (!isDefault) settings.push({ key, value: url.clean, source, isVariable });
  }
  if (endpoints.length === 0) throw new PresetFault("POLICY_UNREADABLE", "preset.answer-unreadable", { tool: "npm config ls -l --json" });
  const plain = plainOnes(config, facts);
  const certificates = plain.filter(({ key }) => key === "cafile");
  const authorities = facts.environment["NODE_EXTRA_CA_CERTS"];
  const extra: Readonly<Record<string, string>> = authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities };
  const secretFiles = facts.files.filter(({ level, text }) => level !== "project" && npmEntries(text).some(isSecret));
  const sources: readonly PresetSource[] = plain.map(({ key, value, source }) => ({ value, what: `npm: ${key}`, source }));
  return {
    ...emptyReading,
    endpoints,
    set: { ...extra, ...settingVariables([...settings, ...plain]), npm_config_update_notifier: "false" },
    homeFiles: settingLines([...settings, ...plain]),
    allowRead: [...certificates.map(({ value }) => value), ...Object.values(extra)],
    denyRead: secretFiles.filter(({ level }) => level !== "user").map(({ path }) => path),
    sources,
    notes: [
      ...credentialNotes(endpoints),
      ...secretFiles.map(({ path }) => ({ key: "preset.note.credentials-file", values: { file: path } })),
      ...projectNotes(projectAsks(facts.files), endpoints),
    ],
  };
}
