// What a reader makes of the configuration of one ecosystem, in words that all of them share. A reader is pure: facts in, reading out.
import type { PresetSource } from "../../contracts/preset.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import type { RegistryUrl } from "./registry-url.ts";

/** A host that the ecosystem's own configuration sends its clients to. */
export interface Endpoint {
  readonly url: RegistryUrl;
  /** e.g. `npm: registry`. */
  readonly what: string;
  /** A file, a variable, or the tool whose default it is. */
  readonly source: string;
}

export interface PresetReading {
  readonly endpoints: readonly Endpoint[];
  /** Variables of every command. Never a secret. INVARIANT I-07 */
  readonly set: Readonly<Record<string, string>>;
  /** Client configuration, relative to the private home. Never a secret. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Absolute places that the configuration names: certificates, local indexes, tools. */
  readonly allowRead: readonly string[];
  /** Configuration files that the default view would show although they hold credentials. */
  readonly denyRead: readonly string[];
  readonly sources: readonly PresetSource[];
  readonly notes: readonly Sentence[];
}

export const emptyReading: PresetReading = {
  endpoints: [],
  set: {},
  homeFiles: {},
  allowRead: [],
  denyRead: [],
  sources: [],
  notes: [],
};
