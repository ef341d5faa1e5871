// pip: index settings from its files and variables, and the index that it knows by itself, read from its own source text.
import { type ConfigFile, type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import { type IniEntry, pythonEntries } from "./ini-entries.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes, type ProjectAsk, projectNotes } from "./project-asks.ts";
import { readRegistryUrl, requireRegistryUrl } from "./registry-url.ts";

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly isVariable: boolean;
}

const addressKeys = ["index-url", "extra-index-url", "find-links"] as const;
const plainKeys = ["no-index", "trusted-host", "cert", "constraint"] as const;
/** Keys whose values are places on this machine. */
const placeKeys: readonly string[] = ["cert", "constraint"];

const variableName = (key: string): string => `PIP_${key.replaceAll("-", "_").toUpperCase()}`;

/** `install` speaks louder than `global` whatever file it stands in; a later file louder than an earlier one; a variable loudest. */
function settingOf(key: string, facts: PresetFacts): Setting | undefined {
  const name = variableName(key);
  const given = facts.environment[name];
  if (given !== undefined && given !== "") return { key, value: given, source: name, isVariable: true };
  const files = facts.files.filter(({ level }) => level === "global" || level === "user");
  for (const section of ["install", "global", "default"]) {
    for (const { path, text } of files.toReversed()) {
      const entry = pythonEntries(text).findLast((candidate) => candidate.section === section && candidate.key === key);
      if (entry !== undefined && entry.value !== "") return { key, value: entry.value, source: path, isVariable: false };
    }
  }
  return undefined;
}

interface OwnIndex {
  readonly simple: string;
  /** Where that index keeps its files. */
  readonly storage: string | undefined;
}

/** pip/_internal/models/index.py: `PyPI = PackageIndex("https://...", file_storage_domain="...")` */
export function ownIndex(facts: PresetFacts): OwnIndex {
  const source = facts.files.find(({ level }) => level === "tool")?.text ?? "";
  const call = /^PyPI\s*=\s*PackageIndex\(([^)]*)\)/mu.exec(source)?.[1] ?? "";
  const [, url] = /^\s*(?:url\s*=\s*)?["']([^"']+)["']/u.exec(call) ?? [];
  const [, storage] = /file_storage_domain\s*=\s*["']([^"']+)["']/u.exec(call) ?? [];
  if (url === undefined || readRegistryUrl(url) === undefined)
    throw new PresetFault("POLICY_UNREADABLE", "preset.default-unknown", { tool: "pip" });
  return { simple: new URL("simple", url).href, storage };
}

const words = (value: string): readonly string[] => value.split(/\s+/u).filter((word) => word !== "");

/** A local index: `file:///x`, or a path. undefined: not absolute, so not a place that can be shown. */
function localPlace(word: string): string | undefined {
  const path = /^file:\/\/(?:localhost)?(\/[^?#]*)/u.exec(word)?.[1] ?? word;
  if (!path.startsWith("/")) return undefined;
  try {
    return path === word ? path : decodeURIComponent(path);
  } catch {
    return undefined; // not an address of a file: the caller refuses it
  }
}

interface Addresses {
  readonly endpoints: readonly Endpoint[];
  readonly places: readonly string[];
  /** The value without credentials. */
  readonly clean: string;
}

function addressesOf({ key, value, source }: Setting): Addresses {
  const endpoints: Endpoint[] = [];
  const places: string[] = [];
  const clean = words(value).map((word) => {
    const place = localPlace(word);
    if (place !== undefined) {
      places.push(place);
      return word;
    }
    const url = requireRegistryUrl(word, `pip: ${key}`, source);
    endpoints.push({ url, what: `pip: ${key}`, source });
    return url.clean;
  });
  return { endpoints, places, clean: clean.join(" ") };
}

function defaultEndpoints(facts: PresetFacts, configured: readonly Endpoint[], isReplaced: boolean): readonly Endpoint[] {
  const own = ownIndex(facts);
  const simple = { url: requireRegistryUrl(own.simple, "pip: index-url", "pip"), what: "pip: index-url", source: "pip" };
  const isUsed = !isReplaced || configured.some(({ url }) => url.host === simple.url.host);
  if (!isUsed) return [];
  const storage = own.storage === undefined ? undefined : readRegistryUrl(`https://${own.storage}/`);
  return [
    ...(isReplaced ? [] : [simple]),
    ...(storage === undefined ? [] : [{ url: storage, what: "pip: files of the index", source: "pip" }]),
  ];
}

function configText(settings: readonly Setting[]): Readonly<Record<string, string>> {
  const lines = settings.filter(({ isVariable }) => !isVariable).map(({ key, value }) => `${key} = ${words(value).join("\n    ")}\n`);
  return lines.length === 0 ? {} : { ".config/pip/pip.conf": `[global]\n${lines.join("")}` };
}

const optionLine = /^\s*(?:-i|--index-url|--extra-index-url)(?:\s+|=)(\S+)/u;

function asksOf({ path, text }: ConfigFile): readonly ProjectAsk[] {
  if (!path.endsWith(".txt")) {
    const isIndex = ({ key }: IniEntry): boolean => key === "index-url" || key === "extra-index-url";
    return pythonEntries(text)
      .filter(isIndex)
      .flatMap(({ key, value, line }) => words(value).map((word) => ({ text: word, what: `pip: ${key}`, file: path, line })));
  }
  return text.split(/\r?\n/u).flatMap((line, index) => {
    const [, address] = optionLine.exec(line) ?? [];
    return address === undefined ? [] : [{ text: address, what: "pip: index", file: path, line: index + 1 }];
  });
}

/** @throws PresetFault */
export function readPythonPreset(facts: PresetFacts): PresetReading {
  const found = addressKeys.flatMap((key) => settingOf(key, facts) ?? []);
  const addresses = found.map((setting) => ({ setting, ...addressesOf(setting) }));
  const plain = plainKeys.flatMap((key) => settingOf(key, facts) ?? []);
  const configured = addresses.flatMap(({ endpoints }) => endpoints);
  const isClosed = plain.some(({ key, value }) => key === "no-index" && /^(?:1|true|yes|on|y|t)$/iu.test(value));
  const isReplaced = isClosed || found.some(({ key }) => key === "index-url");
  const endpoints = [...configured, ...defaultEndpoints(facts, configured, isReplaced)];
  const settings = [...addresses.map(({ setting, clean }) => ({ ...setting, value: clean })), ...plain];
  const places = [
    ...addresses.flatMap((address) => address.places),
    ...plain.filter(({ key }) => placeKeys.includes(key)).map(({ value }) => value),
  ];
  const secretFiles = facts.files.filter(({ level, text }) => level !== "project" && level !== "tool" && /:\/\/[^/\s]*@/u.test(text));
  return {
    ...emptyReading,
    endpoints,
    set: Object.fromEntries(settings.filter(({ isVariable }) => isVariable).map(({ key, value }) => [variableName(key), value])),
    homeFiles: configText(settings),
    allowRead: places,
    denyRead: secretFiles.filter(({ level }) => level === "global").map(({ path }) => path),
    sources: [
      ...addresses.flatMap(({ setting, places: named }) =>
        named.map((value) => ({ value, what: `pip: ${setting.key}`, source: setting.source })),
      ),
      ...plain.map(({ key, value, source }) => ({ value, what: `pip: ${key}`, source })),
    ],
    notes: [
      ...credentialNotes(endpoints),
      ...projectNotes(facts.files.filter(({ level }) => level === "project").flatMap(asksOf), endpoints),
    ],
  };
}
