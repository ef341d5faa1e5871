// Where Glovebox keeps its state, and the proof that nobody else can reach it. Nothing here reads the state's content.
import { lstatSync, mkdirSync, statfsSync, type StatsFs, statSync } from "node:fs";
import path from "node:path";
import { systemErrorCode, GloveboxError } from "../contracts/glovebox-error.ts";

export interface StateLayout {
  readonly state: string;
  /** Sockets and claims of this boot. */
  readonly runtime: string;
  readonly tasks: string;
  readonly quarantine: string;
  readonly cache: string;
  /** One file for each question that is open. */
  readonly approvals: string;
  /** States from before, for `undo`; see src/changes/before-store.ts. */
  readonly before: string;
  /** Files that tasks handed back; see src/artifacts/artifacts.ts. */
  readonly artifacts: string;
  /** What containers start from; see src/templates/template-store.ts. */
  readonly templates: string;
  /** What was replaced in the settings of other tools; see replaced-settings.ts. */
  readonly settings: string;
  readonly trustFile: string;
  /** Keys and tokens of the running broker. */
  readonly door: string;
  /** Held by the broker that serves others, for as long as it does. */
  readonly doorLock: string;
}

export interface StateOwner {
  readonly uid: number;
  /** From the user database, never from $HOME. */
  readonly home: string;
}

function absoluteOr(value: string | undefined, fallback: string): string {
  // XDG Base Directory Specification: a relative path is invalid and ignored.
  return value !== undefined && path.isAbsolute(value) ? path.normalize(value) : fallback;
}

/** Pure: the places of one user's state (docs/formats.md, "State directory"). */
export function stateLayout(owner: StateOwner, environment: Readonly<Record<string, string | undefined>>): StateLayout {
  const fallback = owner.uid === 0 ? "/var/lib" : path.join(owner.home, ".local/state");
  const state = path.join(absoluteOr(environment["XDG_STATE_HOME"], fallback), "glovebox");
  const runtimeHome = environment["XDG_RUNTIME_DIR"];
  const runtime =
    runtimeHome !== undefined && path.isAbsolute(runtimeHome)
      ? path.join(path.normalize(runtimeHome), "glovebox")
      : path.join(state, "run");
  return {
    state,
    runtime,
    tasks: path.join(state, "tasks"),
    quarantine: path.join(state, "quarantine"),
    cache: path.join(state, "cache"),
    approvals: path.join(state, "approvals"),
    before: path.join(state, "before"),
    artifacts: path.join(state, "artifacts"),
    templates: path.join(state, "templates"),
    settings: path.join(state, "settings"),
    trustFile: path.join(state, "trust.json"),
    door: path.join(state, "door"),
    doorLock: path.join(state, "door.lock"),
  };
}

/**
 * Named by the state itself, for several may share one runtime directory. Undefined where there is no state, and so no broker.
 * @throws BROKER_UNAVAILABLE when nobody can tell
 */
export function doorSocket({ state, runtime }: Pick<StateLayout, "state" | "runtime">): string | undefined {
  try {
    const found = statSync(state, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : path.join(runtime, `door-${found.dev.toString(16)}-${found.ino.toString(16)}.sock`);
  } catch (error) {
    const values = { socket: state, errno: systemErrorCode(error) ?? "unknown" };
    throw new GloveboxError("BROKER_UNAVAILABLE", "door.unreachable", { values, cause: error });
  }
}

function requirePrivate(directory: string, uid: number): void {
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw new GloveboxError("STATE_INSECURE", "state.not-directory", { values: { directory } });
  if (found.uid !== uid) throw new GloveboxError("STATE_INSECURE", "state.foreign-owner", { values: { directory, owner: found.uid } });
  if ((found.mode & 0o077) !== 0) {
    throw new GloveboxError("STATE_INSECURE", "state.open-mode", { values: { directory, mode: (found.mode & 0o777).toString(8) } });
  }
}

/** Somebody who can write above the state can put another in its place. A sticky directory such as /tmp keeps each name its owner's. */
function requireFirmGround(state: string): void {
  for (let directory = path.dirname(state); ; directory = path.dirname(directory)) {
    if (isOpenGround(directory)) {
      throw new GloveboxError("STATE_INSECURE", "state.open-ground", { values: { directory } });
    }
    if (directory === path.dirname(directory)) return;
  }
}

function isOpenGround(directory: string): boolean {
  try {
    const found = statSync(directory, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o1002) === 0o002;
  } catch {
    return false; // out of our reach, which making the state in it will say
  }
}

/** What a run writes before its result may be released: records, details, journal. With less, a command could run and its record not be kept. */
const reserveBytes = 1024 * 1024;
const reserveInodes = 16;

/** @returns what is to be thrown when the file system that holds `directory` has no room for a run's record */
export function lackOfRoom(directory: string, found: Pick<StatsFs, "bavail" | "bsize" | "ffree" | "files">): GloveboxError | undefined {
  if (found.bavail * found.bsize < reserveBytes) {
    return new GloveboxError("LEDGER_UNWRITABLE", "state.no-room", { values: { directory, needed: "1 MiB" } });
  }
  // Some file systems count no inodes.
  if (found.files === 0 || found.ffree >= reserveInodes) return undefined;
  return new GloveboxError("LEDGER_UNWRITABLE", "state.no-inodes", { values: { directory, needed: reserveInodes } });
}

function requireRoom(directory: string): void {
  const lack = lackOfRoom(directory, statfsSync(directory));
  if (lack !== undefined) throw lack;
}

/**
 * Makes the directories (0700) and checks owner and mode of each that was there.
 * @throws STATE_INSECURE when another user owns or can reach one; LEDGER_UNWRITABLE when they cannot be made, or less than 1 MiB is free.
 */
export function prepareState(layout: StateLayout, uid: number): void {
  requireFirmGround(layout.state);
  for (const directory of [
    layout.state,
    layout.runtime,
    layout.tasks,
    layout.quarantine,
    layout.cache,
    layout.approvals,
    layout.before,
    layout.artifacts,
    layout.templates,
    layout.settings,
    layout.door,
  ]) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", {
        values: { directory, errno: systemErrorCode(error) ?? "unknown" },
        cause: error,
      });
    }
    requirePrivate(directory, uid);
  }
  requireRoom(layout.state);
}
