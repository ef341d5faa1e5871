// Facts for tests of the readers: nothing was found but what a test gives.
import type { ConfigFile, ConfigLevel, PresetFacts } from "../../contracts/preset.ts";
import type { PresetReading } from "../presets/preset-reading.ts";

export function presetFacts(given: Partial<PresetFacts>): PresetFacts {
  return { answers: {}, environment: {}, files: [], consulted: [], programs: [], toolDirectories: [], notes: [], ...given };
}

export function configFile(level: ConfigLevel, path: string, text: string): ConfigFile {
  return { level, path, text };
}

/** `host:port protocol source` of each. */
export function placesOf({ endpoints }: PresetReading): readonly string[] {
  return endpoints.map(({ url, source }) => `${url.host}:${url.port} ${url.protocol} ${source}`);
}
