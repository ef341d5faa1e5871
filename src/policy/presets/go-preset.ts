// Go: `go env` has merged its defaults, the user's file and the caller's variables; no project file takes part in it.
import { isRecord } from "../plain-value.ts";
import { type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes } from "./project-asks.ts";
import { requireRegistryUrl } from "./registry-url.ts";

const tool = "go env -json";
/** Patterns of module names: no host is reached by them. */
const patternNames = ["GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE"] as const;

function environmentOf(facts: PresetFacts): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(facts.answers["env"] ?? "");
    if (isRecord(parsed)) return parsed;
  } catch {
    // Falls through to the refusal.
  }
  throw new PresetFault("POLICY_UNREADABLE", "preset.answer-unreadable", { tool });
}

function valueOf(environment: Readonly<Record<string, unknown>>, name: string): string {
  const value = environment[name];
  return typeof value === "string" ? value.trim() : "";
}

function sourceOf(name: string, facts: PresetFacts): string {
  if (facts.environment[name] !== undefined) return name;
  const isIn = (text: string): boolean => text.split("\n").some((line) => line.trim().startsWith(`${name}=`));
  return facts.files.findLast(({ level, text }) => level !== "project" && isIn(text))?.path ?? "go";
}

interface Proxies {
  readonly endpoints: readonly Endpoint[];
  readonly places: readonly string[];
  readonly clean: string;
  readonly isDirect: boolean;
}

/** `https://a,https://b|direct`: the separators mean when the next one is asked, and stay. */
function proxiesOf(value: string, source: string): Proxies {
  const endpoints: Endpoint[] = [];
  const places: string[] = [];
  const parts = value.split(/([,|])/u).map((part, index) => {
    const word = part.trim();
    if (index % 2 === 1 || word === "" || word === "direct" || word === "off") return word;
    if (word.startsWith("file:///")) {
      places.push(decodeURI(word.slice("file://".length)));
      return word;
    }
    // Go reads a proxy without a scheme as https.
    const url = requireRegistryUrl(word.includes("://") ? word : `https://${word}`, "go: GOPROXY", source);
    endpoints.push({ url, what: "go: GOPROXY", source });
    return url.clean;
  });
  return { endpoints, places, clean: parts.join(""), isDirect: parts.includes("direct") };
}

/** `off`, `name`, `name+key` or `name+key address`. */
function checksumEndpoints(value: string, source: string): readonly Endpoint[] {
  if (value === "" || value === "off") return [];
  const [first = "", address] = value.split(/\s+/u);
  const url = requireRegistryUrl(address ?? `https://${first.split("+", 1)[0] ?? ""}`, "go: GOSUMDB", source);
  return [{ url, what: "go: GOSUMDB", source }];
}

/** @throws PresetFault */
export function readGoPreset(facts: PresetFacts): PresetReading {
  const environment = environmentOf(facts);
  const proxy = valueOf(environment, "GOPROXY");
  if (proxy === "") throw new PresetFault("POLICY_UNREADABLE", "preset.answer-unreadable", { tool });
  const proxies = proxiesOf(proxy, sourceOf("GOPROXY", facts));
  const checksums = valueOf(environment, "GOSUMDB");
  const isProxied = proxies.endpoints.length > 0 || proxies.isDirect;
  const endpoints = [...proxies.endpoints, ...(isProxied ? checksumEndpoints(checksums, sourceOf("GOSUMDB", facts)) : [])];
  const file = facts.environment["SSL_CERT_FILE"];
  const certificates: Readonly<Record<string, string>> = file === undefined ? {} : { SSL_CERT_FILE: file };
  const patterns = patternNames.map((name) => [name, valueOf(environment, name)] as const).filter(([, value]) => value !== "");
  return {
    ...emptyReading,
    endpoints,
    // A user's file of Go is not there inside; its variables say the same.
    set: { ...certificates, GOPROXY: proxies.clean, ...(checksums === "" ? {} : { GOSUMDB: checksums }), ...Object.fromEntries(patterns) },
    allowRead: [...proxies.places, ...Object.values(certificates)],
    sources: proxies.places.map((value) => ({ value, what: "go: GOPROXY", source: sourceOf("GOPROXY", facts) })),
    notes: [
      ...credentialNotes(endpoints),
      ...(proxies.isDirect ? [{ key: "preset.note.go-direct", values: { source: sourceOf("GOPROXY", facts) } }] : []),
    ],
  };
}
