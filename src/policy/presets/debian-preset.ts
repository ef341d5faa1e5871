// Debian: the sources that apt itself lists. A sandbox cannot install into its read-only system; lists and packages go to the private home.
import { type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes } from "./project-asks.ts";
import { requireRegistryUrl } from "./registry-url.ts";

/** apt's own places inside. `$HOME` is not known to apt, so that they are absolute. */
function aptConfiguration(home: string): string {
  return [
    `Dir::State "${home}/.local/state/apt";`,
    `Dir::State::Lists "${home}/.local/state/apt/lists";`,
    `Dir::Cache "${home}/.cache/apt";`,
    `Dir::Log "${home}/.local/state/apt/log";`,
    `Acquire::Languages "none";`,
    "",
  ].join("\n");
}

const asksForNoHost = /^(?:file|copy|cdrom):/u;

/** @param home of the sandbox. @throws PresetFault for a source whose host cannot be told */
export function readDebianPreset(facts: PresetFacts, home: string): PresetReading {
  const lines = (facts.answers["sources"] ?? "").split("\n").filter((line) => line !== "");
  const endpoints: Endpoint[] = [];
  const places: string[] = [];
  for (const uri of new Set(lines)) {
    if (asksForNoHost.test(uri)) {
      const place = uri.replace(/^[a-z]+:(?:\/\/)?/u, "");
      if (place.startsWith("/") && !uri.startsWith("cdrom:")) places.push(place);
      continue;
    }
    endpoints.push({ url: requireRegistryUrl(uri, "apt: source", "apt"), what: "apt: source", source: "apt" });
  }
  if (endpoints.length === 0 && places.length === 0) throw new PresetFault("POLICY_KEY_INERT", "preset.no-sources", { tool: "apt" });
  const secretFiles = facts.files.filter(({ text }) => /:\/\/[^/\s]*@/u.test(text)).map(({ path }) => path);
  return {
    ...emptyReading,
    endpoints,
    set: { APT_CONFIG: `${home}/.config/apt.conf` },
    homeFiles: { ".config/apt.conf": aptConfiguration(home) },
    allowRead: places,
    denyRead: secretFiles,
    sources: places.map((value) => ({ value, what: "apt: source", source: "apt" })),
    notes: credentialNotes(endpoints),
  };
}
