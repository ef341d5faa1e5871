// A preset by its name: the reader of its ecosystem, and where the caches of its tools are inside.
import type { PresetName } from "../../contracts/policy-document.ts";
import type { CacheName } from "../../contracts/package-caches.ts";
import type { PresetFacts, ResolvedPreset } from "../../contracts/preset.ts";
import { readDebianPreset } from "./debian-preset.ts";
import { readGoPreset } from "./go-preset.ts";
import { readJavaPreset } from "./java-preset.ts";
import { readNodePreset } from "./node-preset.ts";
import { presetFragment } from "./preset-fragment.ts";
import type { PresetReading } from "./preset-reading.ts";
import { readPythonPreset } from "./python-preset.ts";
import { readRustPreset } from "./rust-preset.ts";

interface Ecosystem {
  readonly read: (facts: PresetFacts, home: string) => PresetReading;
  /** Variable -> place below the private home. Whatever a shared configuration says, a cache lies there. INVARIANT I-16 */
  readonly caches: Readonly<Record<string, string>>;
  /** Those caches that the tasks of a project share; the others are the task's own. */
  readonly shared?: readonly CacheName[];
  /** The same for a tool that takes it from a file: place below the private home -> content. */
  readonly cacheFiles?: (home: string) => Readonly<Record<string, string>>;
}

const ecosystems: Readonly<Record<PresetName, Ecosystem>> = {
  node: {
    read: readNodePreset,
    caches: { npm_config_cache: ".npm", YARN_CACHE_FOLDER: ".cache/yarn" },
    shared: ["npm", "pnpm", "yarn"],
    // Not as a variable: npm warns of each that is not its own.
    cacheFiles: (home) => ({ ".config/pnpm/rc": `store-dir=${home}/.pnpm-store\n` }),
  },
  python: { read: readPythonPreset, caches: { PIP_CACHE_DIR: ".cache/pip", UV_CACHE_DIR: ".cache/uv" }, shared: ["pip"] },
  rust: { read: readRustPreset, caches: { CARGO_HOME: ".cargo" }, shared: ["cargo"] },
  go: { read: readGoPreset, caches: { GOPATH: "go", GOMODCACHE: "go/pkg/mod", GOCACHE: ".cache/go-build" }, shared: ["go"] },
  java: { read: readJavaPreset, caches: { GRADLE_USER_HOME: ".gradle" }, shared: ["maven"] },
  debian: { read: readDebianPreset, caches: {} },
};

export interface ResolveOptions {
  /** The home directory inside a sandbox. */
  readonly privateHome: string;
  readonly isShown: (file: string) => boolean;
  /** Whether this machine can keep a cache for later tasks. */
  readonly keepsCaches: boolean;
}

/** @throws PresetFault when anything that the preset rests on cannot be understood: nothing is guessed */
export function resolvePreset(name: PresetName, facts: PresetFacts, { privateHome, isShown, keepsCaches }: ResolveOptions): ResolvedPreset {
  const { read, caches, cacheFiles, shared = [] } = ecosystems[name];
  const variables = Object.fromEntries(Object.entries(caches).map(([variable, place]) => [variable, `${privateHome}/${place}`]));
  const reading = read(facts, privateHome);
  const homeFiles = { ...cacheFiles?.(privateHome), ...reading.homeFiles };
  return presetFragment({ name, facts, reading: { ...reading, homeFiles }, caches: variables, shared: keepsCaches ? shared : [], isShown });
}
