// Finds and reads the policy documents of a call: system, user, project and flags. Reading only; what they mean is the policy room's work.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { PolicySelection } from "../contracts/door.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { commandLineLabel, type PolicySource } from "../contracts/policy-port.ts";
import { sha256Digest } from "../kit/digest.ts";

const maximumBytes = 256 * 1024;
const endings = ["yaml", "yml", "json", "toml"] as const;

export interface PolicyPlaces {
  /** `/etc/glovebox` */
  readonly systemDirectory: string;
  /** `~/.config/glovebox` by the user database: no variable moves it, since a variable could widen. */
  readonly userDirectory: string;
  readonly uid: number;
}

export interface FoundPolicy {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

type FormatOfFile = (name: string) => PolicySource["format"];

/** The nearest name on the way to `file` that is there at all, when it is a link to nothing: what hangs on it is unreadable, not absent. */
function danglingLink(file: string): string | undefined {
  for (let place = file; ; place = path.dirname(place)) {
    const present = lookAt(place, lstatSync);
    if (present === undefined && place !== path.dirname(place)) continue;
    return lookAt(place, statSync) === undefined ? place : undefined;
  }
}

function lookAt(place: string, look: typeof lstatSync): Stats | undefined {
  try {
    return look(place, { throwIfNoEntry: false });
  } catch {
    return undefined; // out of reach: opening it says why
  }
}

function unreadable(file: string, cause: unknown): GloveboxError {
  return new GloveboxError("POLICY_UNREADABLE", "policy-files.unreadable", {
    values: { file, errno: systemErrorCode(cause) ?? "unknown" },
    cause,
  });
}

/** These files are few and small, and most are not there: waiting for another thread's word about each takes longer than all of them. */
function openRegular(file: string): number | undefined {
  try {
    // O_NONBLOCK: a fifo in the project must not hold us. O_NOFOLLOW is not set: a person may link their own policy.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw unreadable(file, error);
    const link = danglingLink(file);
    if (link === undefined) return undefined;
    throw new GloveboxError("POLICY_UNREADABLE", "policy-files.dangling", { values: { file, link }, cause: error });
  }
}

/** `allowedOwners`: uids whose writing is trusted; undefined for files that only narrow or are pinned by digest. */
function readPolicy(file: string, allowedOwners: readonly number[] | undefined, maximum = maximumBytes): FoundPolicy | undefined {
  const descriptor = openRegular(file);
  if (descriptor === undefined) return undefined;
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new GloveboxError("POLICY_UNREADABLE", "policy-files.not-regular", { values: { file } });
    if (stat.size > maximum) throw new GloveboxError("POLICY_UNREADABLE", "policy-files.too-large", { values: { file, maximum } });
    if (allowedOwners !== undefined && (!allowedOwners.includes(stat.uid) || (stat.mode & 0o022) !== 0)) {
      const owner = allowedOwners[0] ?? 0;
      throw new GloveboxError("STATE_INSECURE", "policy-files.insecure", { values: { file, owner } });
    }
    const buffer = Buffer.alloc(Math.min(maximum, stat.size) + 1);
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, 0));
    return { file, bytes, digest: sha256Digest(bytes) };
  } catch (error) {
    throw error instanceof GloveboxError ? error : unreadable(file, error);
  } finally {
    closeSync(descriptor);
  }
}

function findOne(directory: string, base: string, allowedOwners: readonly number[] | undefined): FoundPolicy | undefined {
  const found: FoundPolicy[] = [];
  for (const ending of endings) {
    const policy = readPolicy(path.join(directory, `${base}.${ending}`), allowedOwners);
    if (policy !== undefined) found.push(policy);
  }
  if (found.length > 1) {
    const files = found.map((policy) => path.basename(policy.file)).join(", ");
    throw new GloveboxError("POLICY_UNREADABLE", "policy-files.several", { values: { directory, files } });
  }
  return found[0];
}

/**
 * `glovebox.yaml`, `.yml`, `.json` or `.toml` at the top of the project.
 * @throws POLICY_UNREADABLE also when it is a link to another name in the project: a command may write there. INVARIANT I-15
 */
export async function findProjectPolicy(projectDirectory: string): Promise<FoundPolicy | undefined> {
  const found = findOne(projectDirectory, "glovebox", undefined);
  if (found === undefined) return undefined;
  const [project, target] = await Promise.all([realpath(projectDirectory), realpath(found.file)]);
  const isElsewhereInside = target.startsWith(`${project}/`) && target !== path.join(project, path.basename(found.file));
  if (!isElsewhereInside) return found;
  throw new GloveboxError("POLICY_UNREADABLE", "policy-files.linked-inside", { values: { file: found.file, target } });
}

/** One file of the user's own; undefined when it is not there. @throws POLICY_UNREADABLE, STATE_INSECURE */
export function readOwnFile(file: string, uid: number): FoundPolicy | undefined {
  return readPolicy(file, [uid, 0]);
}

/**
 * A policy of the project that is a link into a write root of the run: what a command writes there would be the next run's policy.
 * @param roots canonical write roots @throws POLICY_UNREADABLE INVARIANT I-15
 */
export async function refuseWritablePolicy(sources: readonly PolicySource[], roots: readonly string[]): Promise<void> {
  for (const { label: file } of sources.filter(({ origin }) => origin === "project")) {
    const [directory, target] = await Promise.all([realpath(path.dirname(file)), realpath(file)]);
    const isLink = target !== path.join(directory, path.basename(file));
    if (isLink && roots.some((root) => target.startsWith(`${root}/`)))
      throw new GloveboxError("POLICY_UNREADABLE", "policy-files.linked-inside", { values: { file, target } });
  }
}

/** One file named by a person. @throws POLICY_UNREADABLE when it is not there. */
export async function readNamedPolicy(file: string): Promise<FoundPolicy> {
  const found = readPolicy(file, undefined);
  if (found === undefined) throw new GloveboxError("POLICY_UNREADABLE", "policy-files.missing", { values: { file } });
  return found;
}

export interface GatherParts {
  readonly places: PolicyPlaces;
  readonly isTrusted: (found: FoundPolicy) => Promise<boolean>;
  readonly formatOfFile: FormatOfFile;
}

/** All documents of a selection, weakest first. */
export async function gatherPolicySources(parts: GatherParts, selection: PolicySelection): Promise<readonly PolicySource[]> {
  const { places } = parts;
  const sources: PolicySource[] = [];
  const add = (origin: PolicySource["origin"], found: FoundPolicy | undefined): void => {
    if (found !== undefined) sources.push({ origin, label: found.file, format: parts.formatOfFile(found.file), text: found.bytes });
  };
  add("system", findOne(places.systemDirectory, "policy", [0]));
  add("user", findOne(places.userDirectory, "policy", [places.uid, 0]));
  const project = await findProjectPolicy(selection.projectDirectory);
  if (project !== undefined) add((await parts.isTrusted(project)) ? "project-trusted" : "project", project);
  if (selection.policyFile !== undefined) add("flags", await readNamedPolicy(selection.policyFile));
  if (selection.document !== undefined) sources.push({ origin: "flags", format: "json", ...selection.document });
  if (selection.overrides !== undefined) {
    sources.push({ origin: "flags", label: commandLineLabel, format: "json", text: JSON.stringify(selection.overrides), lists: "add" });
  }
  return sources;
}

/** How the same is said of a file that is no policy. */
const ofSpecs: ReadonlyMap<string, string> = new Map([
  ["policy-files.not-regular", "pod-security.file-not-regular"],
  ["policy-files.too-large", "pod-security.file-too-large"],
]);

/** A file of another tool, named by a person. @throws SPEC_UNREADABLE */
export async function readNamedSpec(file: string, maximum: number): Promise<Uint8Array> {
  try {
    const found = readPolicy(file, undefined, maximum);
    if (found !== undefined) return found.bytes;
  } catch (error) {
    if (!(error instanceof GloveboxError)) throw error;
    const situation = ofSpecs.get(error.situation) ?? "pod-security.file-unreadable";
    throw new GloveboxError("SPEC_UNREADABLE", situation, { values: { errno: "ENOENT", ...error.values }, cause: error });
  }
  throw new GloveboxError("SPEC_UNREADABLE", "pod-security.file-missing", { values: { file } });
}
