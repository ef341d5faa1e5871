// The machine as a preset sees it: the user's own programs and files, never the project's. A program is started in `/` with an
// environment of our choice, and a place in the project decides nothing. INVARIANT I-15
import { constants, realpathSync } from "node:fs";
import { access, mkdtemp, open, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ConfigFile, type ConfigLevel, PresetFault } from "../../contracts/preset.ts";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { canonicalPath } from "../../kit/canonical-path.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { capture, type Captured } from "../../kit/spawn.ts";

type Variables = Readonly<Record<string, string>>;

export interface Question {
  /** Absolute: what `find` gave. */
  readonly program: string;
  readonly args: readonly string[];
  /** Beside PATH, HOME and the language. */
  readonly environment?: Variables;
}

export interface PresetMachine {
  readonly home: string;
  readonly projectDirectory: string;
  /** The caller's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The first program of these names on the caller's PATH outside the project. */
  find(...names: readonly string[]): Promise<string | undefined>;
  /** @throws PresetFault when it cannot be started or does not end */
  ask(question: Question): Promise<Captured>;
  /** Canonical places of all files of the user or the machine that were asked for, whether they were there or not. */
  readonly consulted: ReadonlySet<string>;
  /** undefined: not there. @throws PresetFault for a file of the user or the machine that is there and cannot be read */
  read(file: string, level: ConfigLevel): Promise<ConfigFile | undefined>;
  readBytes(file: string, maximumBytes: number): Promise<Buffer | undefined>;
  /** Names in a directory; none when it cannot be listed. */
  list(directory: string): Promise<readonly string[]>;
  /** Canonical place. */
  real(file: string): string;
  isInProject(file: string): boolean;
  /** Something that sandboxes show by themselves. */
  isShown(file: string): boolean;
  /** What a name means on this machine now, by its hosts file and resolvers; none when nobody says it soon. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** The body of a small document, or undefined when it cannot be had. @param certificates PEM of the authorities to trust; undefined: the usual */
  fetchText(address: string, certificates: string | undefined): Promise<string | undefined>;
  /** A private directory with these files, for the time of `use`. */
  withFiles<Result>(files: Variables, use: (directory: string) => Promise<Result>): Promise<Result>;
}

export interface MachineOptions {
  readonly home: string;
  readonly projectDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isShown: (file: string) => boolean;
}

const maximumConfigBytes = 256 * 1024;
const askMs = 30_000;
const maximumCertificateBytes = 4 * 1024 * 1024;
const fetchMs = 5_000;
const lookUpMs = 1_000;

async function readBounded(file: string, maximumBytes: number, flags: number): Promise<Buffer | "not-regular" | "too-large"> {
  // O_NONBLOCK: a fifo must not hold us.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags);
  try {
    const found = await handle.stat();
    if (!found.isFile()) return "not-regular";
    const buffer = Buffer.alloc(Math.min(found.size, maximumBytes) + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return bytesRead > maximumBytes || found.size > maximumBytes ? "too-large" : buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const isAbsent = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");

class RealMachine implements PresetMachine {
  readonly home: string;
  readonly projectDirectory: string;
  readonly environment: PresetMachine["environment"];
  readonly isShown: PresetMachine["isShown"];
  readonly consulted = new Set<string>();
  readonly #project: string;

  constructor(options: MachineOptions) {
    this.home = options.home;
    this.projectDirectory = options.projectDirectory;
    this.environment = options.environment;
    this.isShown = options.isShown;
    this.#project = canonicalPath(options.projectDirectory);
  }

  real(file: string): string {
    return canonicalPath(file);
  }

  isInProject(file: string): boolean {
    const real = canonicalPath(file);
    return real === this.#project || real.startsWith(`${this.#project}/`);
  }

  /** Of PATH what is absolute and not the project's. */
  #searchPath(): readonly string[] {
    const entries = (this.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(":");
    return entries.filter((entry) => entry.startsWith("/") && !this.isInProject(entry));
  }

  async find(...names: readonly string[]): Promise<string | undefined> {
    for (const name of names) {
      for (const directory of this.#searchPath()) {
        const file = path.join(directory, name);
        const isThere = await access(file, constants.X_OK).then(
          () => true,
          () => false,
        );
        if (isThere && !this.isInProject(file)) return file;
      }
    }
    return undefined;
  }

  async ask({ program, args, environment = {} }: Question): Promise<Captured> {
    const base = { PATH: this.#searchPath().join(":"), HOME: this.home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
    try {
      return await capture(program, args, { environment: { ...base, ...environment }, timeoutMs: askMs, cwd: "/" });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PresetFault("POLICY_UNREADABLE", "preset.tool-failed", { tool: path.basename(program), reason });
    }
  }

  async read(file: string, level: ConfigLevel): Promise<ConfigFile | undefined> {
    const real = canonicalPath(file);
    if (level !== "project" && this.isInProject(real))
      throw new PresetFault("POLICY_VALUE_INVALID", "preset.file-in-project", { file: real });
    if (level !== "project") this.consulted.add(real);
    try {
      const bytes = await readBounded(real, maximumConfigBytes, level === "project" ? constants.O_NOFOLLOW : 0);
      if (typeof bytes === "object") return { path: level === "project" ? file : real, level, text: bytes.toString() };
      const values = { file: real, maximum: maximumConfigBytes };
      throw new PresetFault("POLICY_UNREADABLE", bytes === "too-large" ? "preset.file-too-large" : "preset.file-not-regular", values);
    } catch (error) {
      if (isAbsent(error) || level === "project") return undefined; // a project's unreadable file asks for nothing
      if (error instanceof PresetFault) throw error;
      throw new PresetFault("POLICY_UNREADABLE", "preset.file-unreadable", { file: real, errno: systemErrorCode(error) ?? "unknown" });
    }
  }

  async readBytes(file: string, maximumBytes: number): Promise<Buffer | undefined> {
    const bytes = await readBounded(file, maximumBytes, 0).catch(() => undefined);
    return typeof bytes === "object" ? bytes : undefined;
  }

  async list(directory: string): Promise<readonly string[]> {
    return readdir(directory).catch(() => []);
  }

  async addressesOf(host: string): Promise<readonly string[]> {
    const file = await this.readBytes("/etc/hosts", maximumConfigBytes);
    const lines = (file?.toString() ?? "").split("\n").map((line) => line.replace(/#.*/u, "").trim().split(/\s+/u));
    const listed = lines.filter(([, ...names]) => names.some((name) => name.toLowerCase() === host)).flatMap(([address]) => address ?? []);
    if (listed.length > 0) return listed;
    const { Resolver } = await import("node:dns/promises"); // nor asks for an address
    const resolver = new Resolver({ timeout: lookUpMs, tries: 1 });
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  }

  async fetchText(address: string, certificates: string | undefined): Promise<string | undefined> {
    const authority = certificates === undefined ? undefined : await this.readBytes(certificates, maximumCertificateBytes);
    const { fetchSmall } = await import("../../kit/fetch-small.ts"); // hardly a run fetches anything
    return fetchSmall(address, { maximumBytes: maximumConfigBytes, ms: fetchMs, authority });
  }

  async withFiles<Result>(files: Variables, use: (directory: string) => Promise<Result>): Promise<Result> {
    const parent = realpathSync(tmpdir());
    const directory = await mkdtemp(path.join(parent, "glovebox-preset-"));
    try {
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text, { flag: "wx", mode: 0o600 });
      return await use(directory);
    } finally {
      await removeTree(directory, { parent });
    }
  }
}

/** Looks nothing up before it is asked. */
export function presetMachine(options: MachineOptions): PresetMachine {
  return new RealMachine(options);
}
