// What `glovebox init` replaced in the settings of other tools, kept so that it can be put back byte for byte.
import type { Digest } from "./ids.ts";

export interface ReplacedSettings {
  /** Absolute, without links. */
  readonly file: string;
  /** Undefined: there was no such file. */
  readonly before: Uint8Array | undefined;
  /** Of the bytes that were written in its place. */
  readonly after: Digest;
  /** Directories that were made for it, the outermost first. */
  readonly directories: readonly string[];
}

export interface SettingsDoor {
  find(file: string): Promise<ReplacedSettings | undefined>;
  /** In place of what was kept of the same file. */
  keep(replaced: ReplacedSettings): Promise<void>;
  forget(file: string): Promise<void>;
}
