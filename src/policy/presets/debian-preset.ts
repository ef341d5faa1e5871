// Debian: the sources that apt itself lists. A sandbox cannot install into its read-only system; lists and packages go to the private home.
import { type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes } from "./project-asks.ts";
import { requireRegistryUrl } from "./registry-url.ts";

/** apt's own places inside. `$HOME` is not known to apt, so that they are absolute. */
function aptConfiguration(home: string, { answers }: PresetFacts): string {
  const own = [
    ["Dir::Etc::SourceList", answers["list"] ?? ""],
    ["Dir::Etc::SourceParts", answers["parts"] ?? ""],
  ].flatMap(([name, place]) => (place === "" ? [] : [`${name} "${place}";`]));
  return [
    ...own,
    // apt makes what is missing below a directory that is there: the one that holds this file.
    `Dir::State "${home}/.apt";`,
    `Dir::State::Lists "${home}/.apt/lists";`,
    `Dir::Cache "${home}/.apt";`,
    `Dir::Log "${home}/.apt/log";`,
    `Acquire::Languages "none";`,
    "",
  ].join("\n");
}

const asksForNoHost = /^(?:file|copy):(?:\/\/)?(\/.*)/u;

/** The repository that holds a list: what comes before `/dists/`, or the directory of a flat one. */
function localRepository(place: string): string {
  const before = place.indexOf("/dists/");
  return before > 0 ? place.slice(0, before) : place.replace(/(?:\/\.)*\/[^/]*$/u, "");
}

/** @param home of the sandbox. @throws PresetFault for a source whose host cannot be told */
export function readDebianPreset(facts: PresetFacts, home: string): PresetReading {
  // `'http://host/dists/x/InRelease' name 0 `, one line for each list.
  const uris = (facts.answers["sources"] ?? "").split("\n").flatMap((line) => /^'([^']+)'/u.exec(line)?.[1] ?? []);
  const places = [...new Set(uris.flatMap((uri) => asksForNoHost.exec(uri)?.[1] ?? []).map(localRepository))];
  const endpoints = uris
    .filter((uri) => !asksForNoHost.test(uri))
    .map((uri): Endpoint => ({ url: requireRegistryUrl(uri, "apt: source", "apt"), what: "apt: source", source: "apt" }));
  if (endpoints.length === 0 && places.length === 0) throw new PresetFault("POLICY_KEY_INERT", "preset.no-sources", { tool: "apt" });
  const secretFiles = facts.files.filter(({ text }) => /:\/\/[^/\s]*@/u.test(text)).map(({ path }) => path);
  return {
    ...emptyReading,
    endpoints,
    set: { APT_CONFIG: `${home}/.apt/apt.conf` },
    homeFiles: { ".apt/apt.conf": aptConfiguration(home, facts) },
    allowRead: [...places, ...facts.files.map(({ path }) => path)],
    denyRead: secretFiles,
    sources: places.map((value) => ({ value, what: "apt: source", source: "apt" })),
    notes: credentialNotes(endpoints),
  };
}
