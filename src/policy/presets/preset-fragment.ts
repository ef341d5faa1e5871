// A reading -> an ordinary fragment of a policy: rules about hosts, places to read, variables and client configuration.
import { classifyAddress } from "../../kit/address-class.ts";
import { canonicalHost, showHostPort } from "../../kit/host-name.ts";
import { showIpAddress } from "../../kit/ip-address.ts";
import { type PresetFacts, PresetFault, type PresetSource, type ResolvedPreset } from "../../contracts/preset.ts";
import type { CacheName } from "../../contracts/package-caches.ts";
import type { PresetName } from "../../contracts/policy-document.ts";
import { sortedOnce } from "../layer-values.ts";
import { isWithin } from "../path-rules.ts";
import { isLocalName } from "../local-names.ts";
import type { Endpoint, PresetReading } from "./preset-reading.ts";

interface Place {
  /** Of one protocol and port: they share a rule. */
  readonly group: string;
  readonly endpoint: Endpoint;
  readonly kind: "host" | "cidr" | "local";
  readonly text: string;
}

/** @throws PresetFault for what is neither name nor address */
function placeOf(endpoint: Endpoint): Place {
  const { host: text, port, protocol } = endpoint.url;
  const host = canonicalHost(text);
  if (host === undefined) {
    const { what, source } = endpoint;
    throw new PresetFault("POLICY_VALUE_INVALID", "preset.url-invalid", { what, source });
  }
  const group = `${protocol}-${port}`;
  const isLocal = host.kind === "name" ? isLocalName(host.name) : classifyAddress(host.address) !== "public";
  if (isLocal) return { group, endpoint, kind: "local", text: showHostPort(host, port) };
  if (host.kind === "name") return { group, endpoint, kind: "host", text: host.name };
  return { group, endpoint, kind: "cidr", text: `${showIpAddress(host.address)}/${host.address.family === 4 ? 32 : 128}` };
}

const textsOf = (places: readonly Place[], kind: Place["kind"]): readonly string[] =>
  sortedOnce(places.filter((place) => place.kind === kind).map(({ text }) => text));

function ruleOf(name: PresetName, group: string, places: readonly Place[]): Readonly<Record<string, unknown>> | undefined {
  const [hosts, cidr] = [textsOf(places, "host"), textsOf(places, "cidr")];
  const [first] = places;
  if (first === undefined || (hosts.length === 0 && cidr.length === 0)) return undefined;
  const { port, protocol } = first.endpoint.url;
  return {
    id: `preset-${name}-${group}`,
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(cidr.length === 0 ? {} : { cidr }),
    ports: [port],
    protocols: [protocol],
    verdict: "allow",
    reason: `preset ${name}`,
  };
}

export interface FragmentParts {
  readonly name: PresetName;
  readonly facts: PresetFacts;
  readonly reading: PresetReading;
  /** Variables that put the caches of the tools into the private home. */
  readonly caches: Readonly<Record<string, string>>;
  /** Those of them that the project's tasks share. */
  readonly shared: readonly CacheName[];
  /** What sandboxes show by themselves. */
  readonly isShown: (file: string) => boolean;
}

function sourcesOf({ facts, reading }: FragmentParts): readonly PresetSource[] {
  const hosts = reading.endpoints.map(({ url, what, source }) => ({ value: `${url.host}:${url.port}`, what, source }));
  const tools = facts.toolDirectories.map((value) => ({ value, what: "tool", source: facts.programs[0] ?? "" }));
  const all = [...hosts, ...reading.sources, ...tools];
  return [...new Map(all.map((item) => [JSON.stringify(item), item])).values()];
}

/** Whoever wrote a file or a variable is a person; a tool's own default and what a registry answers are not. */
const saidByNobody = /^(?:npm|pip|cargo|go|maven|config\.json of .*)$/u;

function configuredNames(places: readonly Place[]): readonly string[] {
  const byPerson = places.filter(({ kind, endpoint }) => kind === "host" && !saidByNobody.test(endpoint.source));
  return sortedOnce(byPerson.map(({ text, endpoint }) => `${text}:${endpoint.url.port}`));
}

/** A fragment says nothing about what it has nothing for. */
function listed(name: string, items: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return items.length === 0 ? {} : { [name]: items };
}

/** @throws PresetFault */
export function presetFragment(parts: FragmentParts): ResolvedPreset {
  const { name, facts, reading, caches, shared, isShown } = parts;
  const places = reading.endpoints.map(placeOf);
  const groups = sortedOnce(places.map(({ group }) => group));
  const egress = groups.flatMap(
    (group) =>
      ruleOf(
        name,
        group,
        places.filter((place) => place.group === group),
      ) ?? [],
  );
  const shows = sortedOnce([...reading.allowRead, ...facts.toolDirectories].filter((place) => !isShown(place)));
  const isVisible = (file: string): boolean => isShown(file) || shows.some((place) => isWithin(file, place));
  const hidden = sortedOnce(reading.denyRead.filter(isVisible));
  return {
    name,
    fragment: {
      apiVersion: "glovebox/v1",
      egress,
      ...listed("allowLocal", textsOf(places, "local")),
      filesystem: { ...listed("allowRead", shows), ...listed("denyRead", hidden), ...listed("caches", shared) },
      environment: { set: { ...caches, ...reading.set }, homeFiles: reading.homeFiles },
    },
    sources: sourcesOf(parts),
    configured: configuredNames(places),
    shows: reading.allowRead,
    decidedBy: sortedOnce([...facts.consulted, ...facts.programs]),
    notes: [...facts.notes, ...reading.notes],
  };
}
