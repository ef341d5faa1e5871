// A lock between processes that the kernel gives back when its holder dies, however it dies (kill -9 included).
// Node has no flock(2); SQLite's writing transaction, of which a file has one at a time, is an fcntl(2) lock on it. Nothing is ever written to it.
// It does not lock threads against each other beyond what SQLite does, and nothing else in the process may open the two files:
// closing any descriptor of a file drops this process's fcntl locks on it.
import { accessSync, closeSync, constants, lstatSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "./monotonic.ts";

const sqliteBusy = 5;
const eagerTurns = 4;
/** Also how soon after its release a lock is taken without a turn: a holder that comes back for the next batch mostly comes later than that. */
const longestPauseMs = 2;

/** Only ever opens a file that it makes: see above for why. @throws EEXIST never, what else open(2) says otherwise */
function createMissing(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Another process made it first, which is as good.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** One lockable file. */
class LockFile {
  readonly #file: string;
  #database: DatabaseSync | undefined;
  #inode = 0n;
  #held = false;
  #journalless = false;

  constructor(file: string) {
    this.#file = file;
  }

  #currentInode(): bigint | undefined {
    return statSync(this.#file, { bigint: true, throwIfNoEntry: false })?.ino;
  }

  #open(): DatabaseSync {
    this.#database?.close();
    createMissing(this.#file);
    this.#journalless = false;
    this.#inode = this.#currentInode() ?? 0n;
    try {
      this.#database = new DatabaseSync(this.#file, { timeout: 0 });
    } catch (error) {
      accessSync(this.#file, constants.R_OK | constants.W_OK); // says EACCES where SQLite says only that it cannot; opens nothing
      throw error;
    }
    return this.#database;
  }

  tryTake(): boolean {
    if (this.#held) return false;
    // A lock on a file that somebody replaced would exclude nobody.
    const database = this.#database !== undefined && this.#currentInode() === this.#inode ? this.#database : this.#open();
    try {
      if (!this.#journalless) {
        // Otherwise each transaction makes and removes a journal file, which costs time and an inode that a full disk may not have.
        database.exec("PRAGMA journal_mode=MEMORY");
        this.#journalless = true;
      }
      // Keeps out whoever would write, and nobody does anything else: locking readers out too would be three calls more.
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return false;
      throw error;
    }
    this.#held = true;
    return true;
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    // Rolled back, not committed: a commit would write the first page of a database.
    this.#database?.exec("ROLLBACK");
  }

  close(): void {
    this.release();
    this.#database?.close();
    this.#database = undefined;
  }
}

/** Tries until `deadline` (of monotonicMs()); pauses are short and let the event loop run. */
async function takeUntil(lock: LockFile, deadline: number): Promise<boolean> {
  for (let attempt = 0; ; attempt += 1) {
    if (lock.tryTake()) return true;
    if (monotonicMs() >= deadline) return false;
    if (attempt < eagerTurns) await nextTurn();
    else await delay(1 + Math.random() * (longestPauseMs - 1));
  }
}

export class ProcessLock {
  readonly #main: LockFile;
  readonly #turn: LockFile;
  #releasedAtMs = Number.NEGATIVE_INFINITY;

  /** @param file made when missing, mode 0600; a second file `<file>.turn` stands beside it */
  constructor(file: string) {
    this.#main = new LockFile(file);
    this.#turn = new LockFile(`${file}.turn`);
  }

  /** Whoever waits has tried again since we let it go: there is nobody to let in first. */
  #wasFreeForOthers(): boolean {
    return monotonicMs() - this.#releasedAtMs > longestPauseMs;
  }

  readonly #release = (): void => {
    this.#main.release();
    this.#releasedAtMs = monotonicMs();
  };

  /**
   * Waits for the lock. Whoever waits holds the turn, so a process that takes the lock again and again lets others in between.
   * @param waitMs how long to try
   * @returns the function that releases it (call once), or undefined when it stayed taken. Throws what the file system says.
   */
  async take(waitMs: number): Promise<(() => void) | undefined> {
    if (this.#wasFreeForOthers() && this.#main.tryTake()) return this.#release;
    const deadline = monotonicMs() + waitMs;
    if (!(await takeUntil(this.#turn, deadline))) return undefined;
    try {
      if (!(await takeUntil(this.#main, deadline))) return undefined;
    } finally {
      this.#turn.release();
    }
    return this.#release;
  }

  /** Releases and forgets; the files stay. */
  close(): void {
    this.#main.close();
    this.#turn.close();
  }
}

/** Takes the lock of `file` if nobody has it; undefined when somebody does. */
export async function tryProcessLock(file: string): Promise<{ release(): void } | undefined> {
  const lock = new ProcessLock(file);
  const release = await lock.take(0);
  if (release === undefined) {
    lock.close();
    return undefined;
  }
  return {
    release: () => {
      release();
      lock.close();
    },
  };
}
