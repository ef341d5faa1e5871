// Cargo's configuration as data: sources that replace each other, and named registries.
import { parse } from "smol-toml";
import type { ConfigFile, PresetFacts } from "../../contracts/preset.ts";
import { isRecord } from "../plain-value.ts";
import { PresetFault } from "../../contracts/preset.ts";

/** What stands at the end of a chain of replacements. */
export interface CargoSource {
  readonly name: string;
  readonly kind: "registry" | "git" | "directory" | "local-registry";
  /** An address, or a place on this machine. */
  readonly value: string;
  readonly source: string;
}

export interface CargoConfig {
  readonly sources: ReadonlyMap<string, { readonly table: Readonly<Record<string, unknown>>; readonly file: string }>;
  readonly registries: ReadonlyMap<string, { readonly index: string; readonly source: string }>;
  readonly certificates: { readonly path: string; readonly source: string } | undefined;
  /** Files that hold a token. */
  readonly secretFiles: readonly string[];
}

/** @throws PresetFault */
export function cargoTable({ path, text }: ConfigFile): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch {
    // The parser's words would show a line of the file, which may hold a token.
    throw new PresetFault("POLICY_UNREADABLE", "preset.file-syntax", { file: path });
  }
}

function tablesOf(
  table: Readonly<Record<string, unknown>>,
  name: string,
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  const found = table[name];
  if (!isRecord(found)) return [];
  return Object.entries(found).flatMap(([key, value]) => (isRecord(value) ? [[key, value] as const] : []));
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** `<dir>/.cargo/config.toml` means its places from `<dir>`. */
export function placeFrom(file: string, place: string): string {
  const base = file.split("/").slice(0, -2).join("/");
  return place.startsWith("/") ? place : `${base}/${place.replace(/^\.\//u, "")}`;
}

const isToken = (table: Readonly<Record<string, unknown>>): boolean => "token" in table || "secret-key" in table;

/** @param files weakest first. @throws PresetFault */
export function readCargoConfig(files: readonly ConfigFile[], environment: PresetFacts["environment"]): CargoConfig {
  const sources = new Map<string, { readonly table: Readonly<Record<string, unknown>>; readonly file: string }>();
  const registries = new Map<string, { readonly index: string; readonly source: string }>();
  const secretFiles: string[] = [];
  let certificates: CargoConfig["certificates"];
  for (const file of files) {
    const whole = cargoTable(file);
    for (const [name, table] of tablesOf(whole, "source"))
      sources.set(name, { table: { ...sources.get(name)?.table, ...table }, file: file.path });
    for (const [name, table] of tablesOf(whole, "registries")) {
      const index = text(table["index"]);
      if (index !== undefined) registries.set(name, { index, source: file.path });
    }
    const own = whole["registry"];
    const all = [...tablesOf(whole, "registries").map(([, table]) => table), ...(isRecord(own) ? [own] : [])];
    if (all.some(isToken)) secretFiles.push(file.path);
    const cainfo = isRecord(whole["http"]) ? text(whole["http"]["cainfo"]) : undefined;
    if (cainfo !== undefined) certificates = { path: placeFrom(file.path, cainfo), source: file.path };
  }
  for (const [variable, value] of Object.entries(environment)) {
    const name = /^CARGO_REGISTRIES_([A-Z0-9_]+)_INDEX$/u.exec(variable)?.[1];
    // Of a variable cargo knows the name with hyphens as underscores.
    if (name !== undefined) registries.set(name.toLowerCase().replaceAll("_", "-"), { index: value, source: variable });
  }
  const cainfo = environment["CARGO_HTTP_CAINFO"];
  if (cainfo !== undefined) certificates = { path: cainfo, source: "CARGO_HTTP_CAINFO" };
  return { sources, registries, certificates, secretFiles };
}

function ownSource({ sources, registries }: CargoConfig, name: string): CargoSource | undefined {
  const found = sources.get(name);
  const registry = registries.get(name);
  for (const kind of ["registry", "git", "directory", "local-registry"] as const) {
    const value = found === undefined ? undefined : text(found.table[kind]);
    if (found === undefined || value === undefined) continue;
    const isPlace = kind === "directory" || kind === "local-registry";
    return { name, kind, value: isPlace ? placeFrom(found.file, value) : value, source: found.file };
  }
  return registry === undefined ? undefined : { name, kind: "registry", value: registry.index, source: registry.source };
}

/**
 * Follows `replace-with` from a source to its end.
 * @param own what stands there when nothing replaces it
 * @throws PresetFault for a circle, or a name that nothing defines
 */
export function sourceAtEnd(config: CargoConfig, name: string, own: CargoSource | undefined): CargoSource {
  const seen: string[] = [];
  for (let at = name; ;) {
    const next = text(config.sources.get(at)?.table["replace-with"]);
    const file = config.sources.get(at)?.file ?? "cargo";
    if (next === undefined) {
      const end = ownSource(config, at) ?? (at === name ? own : undefined);
      if (end !== undefined) return end;
      throw new PresetFault("POLICY_VALUE_INVALID", "preset.cargo-source", { name: at, file });
    }
    seen.push(at);
    if (seen.includes(next)) throw new PresetFault("POLICY_VALUE_INVALID", "preset.cargo-circle", { name: next, file });
    at = next;
  }
}
