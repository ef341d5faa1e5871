// Cargo: the index it knows by itself (it names it when it cannot reach it), what replaces it, named registries, and where an index says
// that its files are.
import { isRecord } from "../plain-value.ts";
import { type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import { type CargoConfig, type CargoSource, placeFrom, readCargoConfig, sourceAtEnd } from "./cargo-config.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes, type ProjectAsk, projectNotes } from "./project-asks.ts";
import { readRegistryUrl, requireRegistryUrl } from "./registry-url.ts";

/** Cargo's words when its index cannot be reached: "failed to download from `https://.../config.json`", "failed to fetch `https://...`". */
function ownIndex(facts: PresetFacts): CargoSource {
  const answer = facts.answers["index"] ?? "";
  const sparse = /failed to download from `([^`]+)config\.json`/u.exec(answer)?.[1];
  const git = /failed to fetch `([^`]+)`/u.exec(answer)?.[1];
  const value = sparse === undefined ? git : `sparse+${sparse}`;
  if (value === undefined || readRegistryUrl(value) === undefined)
    throw new PresetFault("POLICY_UNREADABLE", "preset.default-unknown", { tool: "cargo" });
  return { name: "crates-io", kind: "registry", value, source: "cargo" };
}

/** Every registry that cargo would ask, each with what it is called. */
function registriesOf(config: CargoConfig, facts: PresetFacts): readonly CargoSource[] {
  const isReplaced = config.sources.get("crates-io")?.table["replace-with"] !== undefined;
  const first = sourceAtEnd(config, "crates-io", isReplaced ? undefined : ownIndex(facts));
  const named = [...config.registries].map(([name, { index, source }]): CargoSource => ({ name, kind: "registry", value: index, source }));
  return [first, ...named.filter(({ value }) => value !== first.value)];
}

export interface CargoIndex {
  /** `sparse`: files of a web server. `git`: a repository. */
  readonly kind: "sparse" | "git";
  /** Without credentials. */
  readonly address: string;
  /** PEM of the authorities that cargo trusts for it; undefined: the machine's. */
  readonly certificates: string | undefined;
}

/** The indexes whose `config.json` says where their files are. @throws PresetFault */
export function cargoIndexes(facts: PresetFacts): readonly CargoIndex[] {
  const config = readCargoConfig(ownFiles(facts), facts.environment);
  const certificates = config.certificates?.path;
  return registriesOf(config, facts).flatMap(({ kind, value }): readonly CargoIndex[] => {
    const url = kind === "registry" ? readRegistryUrl(value) : undefined;
    if (url === undefined || url.protocol === "ssh") return [];
    const isSparse = value.startsWith("sparse+");
    return [{ kind: isSparse ? "sparse" : "git", address: url.clean.replace(/^(?:sparse|registry)\+/u, ""), certificates }];
  });
}

const ownFiles = ({ files }: PresetFacts) => files.filter(({ level }) => level === "global" || level === "user");

/** `{"dl": "https://..."}`; undefined when the index has not said it, or not in words that lead anywhere. */
function filesOf(index: string, facts: PresetFacts): Endpoint | undefined {
  try {
    const parsed: unknown = JSON.parse(facts.answers[`config.json of ${index}`] ?? "");
    const dl =
      isRecord(parsed) && typeof parsed["dl"] === "string" ? readRegistryUrl(parsed["dl"].replaceAll(/\{[a-z0-9-]+\}/gu, "x")) : undefined;
    return dl === undefined ? undefined : { url: dl, what: "cargo: files of the index", source: `config.json of ${index}` };
  } catch {
    return undefined; // said as a note
  }
}

function tomlText(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}

function shown(key: string, value: string, file: string): string {
  if (key === "registry" || key === "git") return readRegistryUrl(value)?.clean ?? value;
  return key === "directory" || key === "local-registry" ? placeFrom(file, value) : value;
}

/** The part of the configuration that leads to registries, without tokens. */
function configText(config: CargoConfig): Readonly<Record<string, string>> {
  const sources = [...config.sources].map(([name, { table, file }]) => {
    const lines = ["replace-with", "registry", "git", "branch", "tag", "rev", "directory", "local-registry"].flatMap((key) => {
      const value = table[key];
      if (typeof value !== "string") return [];
      return [`${key} = ${tomlText(shown(key, value, file))}\n`];
    });
    return `[source.${tomlText(name)}]\n${lines.join("")}`;
  });
  const registries = [...config.registries].map(
    ([name, { index }]) => `[registries.${tomlText(name)}]\nindex = ${tomlText(readRegistryUrl(index)?.clean ?? index)}\n`,
  );
  const http = config.certificates === undefined ? [] : [`[http]\ncainfo = ${tomlText(config.certificates.path)}\n`];
  const text = [...sources, ...registries, ...http].join("");
  return text === "" ? {} : { ".cargo/config.toml": text };
}

function projectAsks(facts: PresetFacts): readonly ProjectAsk[] {
  return facts.files
    .filter(({ level }) => level === "project")
    .flatMap((file): readonly ProjectAsk[] => {
      try {
        const { sources, registries } = readCargoConfig([file], {});
        const asks = [...sources].flatMap(([name, { table }]) =>
          [table["registry"], table["git"]].flatMap((value) => (typeof value === "string" ? [{ name, value }] : [])),
        );
        const named = [...registries].map(([name, { index }]) => ({ name, value: index }));
        return [...asks, ...named].map(({ name, value }) => ({ text: value, what: `cargo: ${name}`, file: file.path, line: 0 }));
      } catch (error) {
        if (error instanceof PresetFault) return []; // cargo would not read it either
        throw error;
      }
    });
}

/** @throws PresetFault */
export function readRustPreset(facts: PresetFacts): PresetReading {
  const config = readCargoConfig(ownFiles(facts), facts.environment);
  const registries = registriesOf(config, facts);
  const places = registries.filter(({ kind }) => kind === "directory" || kind === "local-registry").map(({ value }) => value);
  const asked = registries.filter(({ kind }) => kind === "registry" || kind === "git");
  const indexes = asked.map(({ name, value, source }): Endpoint => {
    return { url: requireRegistryUrl(value, `cargo: ${name}`, source), what: `cargo: ${name}`, source };
  });
  const files = cargoIndexes(facts).map(({ address }) => ({ index: address, endpoint: filesOf(address, facts) }));
  const endpoints = [...indexes, ...files.flatMap(({ endpoint }) => endpoint ?? [])];
  const certificates = config.certificates === undefined ? [] : [config.certificates];
  return {
    ...emptyReading,
    endpoints,
    homeFiles: configText(config),
    allowRead: [...places, ...certificates.map(({ path }) => path)],
    sources: certificates.map(({ path, source }) => ({ value: path, what: "cargo: http.cainfo", source })),
    notes: [
      ...credentialNotes(endpoints),
      ...config.secretFiles.map((file) => ({ key: "preset.note.credentials-file", values: { file } })),
      ...files.filter(({ endpoint }) => endpoint === undefined).map(({ index }) => ({ key: "preset.note.cargo-files", values: { index } })),
      ...projectNotes(projectAsks(facts), endpoints),
    ],
  };
}
