// The journal of one task: names every kernel object before it is made, so that a later start can find what a crash left. INVARIANT I-09
import { closeSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import type { KernelObject } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { sandboxIdSchema, taskIdSchema, type SandboxId, type TaskId } from "../contracts/ids.ts";
import { lazily } from "../kit/lazily.ts";

const ownerSchema = lazily(() =>
  z.strictObject({
    entry: z.literal("owner"),
    pid: z.int(),
    /** Field 22 of /proc/PID/stat: tells this process from a later one with the same pid. */
    startTime: z.string(),
    boot: z.string(),
    sandbox: sandboxIdSchema,
  }),
);
const objectSchema = lazily(() =>
  z.strictObject({
    entry: z.literal("object"),
    kind: z.enum(["process", "directory", "socket", "cgroup", "mount"]),
    name: z.string(),
  }),
);
/** The task has the package caches of a project, until its journal goes. */
const useSchema = lazily(() => z.strictObject({ entry: z.literal("use"), cache: z.string() }));
/** The task starts from a template, until its journal goes. */
const templateSchema = lazily(() => z.strictObject({ entry: z.literal("template"), id: z.string() }));

export interface TaskJournal {
  readonly directory: string;
  readonly privateDirectory: string;
  /** What `use` was told. */
  readonly cache: string | undefined;
  record(object: KernelObject): Promise<void>;
  use(cache: string): Promise<void>;
  startFrom(template: string): Promise<void>;
  close(): Promise<void>;
}

export interface JournalView {
  readonly task: TaskId;
  readonly directory: string;
  /** Undefined when the journal is unreadable; `boot` and `sandbox` are undefined while the journal was being made. */
  readonly owner:
    | { readonly pid: number; readonly startTime: string; readonly boot?: string | undefined; readonly sandbox?: SandboxId | undefined }
    | undefined;
  readonly objects: readonly KernelObject[];
  readonly cache?: string;
  readonly template?: string;
}

export interface JournalOwner {
  readonly pid: number;
  readonly startTime: string;
  readonly boot: string;
}

/** A journal appears under its task's name only with its owner line in it; until then the directory's name says who is making it. */
function unfinishedName(task: TaskId, owner: JournalOwner): string {
  return `.new.${owner.pid}.${owner.startTime}.${task}`;
}

function parseUnfinishedName(name: string): { readonly pid: number; readonly startTime: string; readonly task: TaskId } | undefined {
  const match = /^\.new\.(\d+)\.(\d+)\.(t-.*)$/u.exec(name);
  const task = taskIdSchema.safeParse(match?.[3]);
  if (match === null || !task.success) return undefined;
  return { pid: Number(match[1]), startTime: match[2] ?? "", task: task.data };
}

export async function openTaskJournal(tasks: string, task: TaskId, sandbox: SandboxId, owner: JournalOwner): Promise<TaskJournal> {
  const directory = path.join(tasks, task);
  const privateDirectory = path.join(directory, "private");
  const unfinished = path.join(tasks, unfinishedName(task, owner));
  mkdirSync(unfinished, { mode: 0o700 });
  // write(2) is enough: a process kill keeps it, and after a machine crash there is no kernel object left to find. It is over in microseconds, and
  // would wait in Node's pool of threads for the ledger's syncs, which take all of them.
  const file = openSync(path.join(unfinished, "journal.jsonl"), "ax", 0o600);
  const write = (entry: object): void => writeFileSync(file, `${JSON.stringify(entry)}\n`);
  try {
    write({ entry: "owner", ...owner, sandbox });
    write({ entry: "object", kind: "directory", name: privateDirectory });
    renameSync(unfinished, directory);
    mkdirSync(privateDirectory, { mode: 0o700 });
  } catch (error) {
    closeSync(file);
    throw error;
  }
  let used: string | undefined;
  return {
    directory,
    privateDirectory,
    get cache() {
      return used;
    },
    use: async (cache) => {
      used = cache;
      write({ entry: "use", cache });
    },
    startFrom: async (template) => write({ entry: "template", id: template }),
    record: async (object) => write({ entry: "object", kind: object.kind, name: object.name }),
    close: async () => closeSync(file),
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a torn last line: its object was not made yet
  }
}

async function readEntries(directory: string): Promise<readonly unknown[]> {
  const text = await readFile(path.join(directory, "journal.jsonl"), "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").map(parseLine);
}

async function readTask(directory: string, task: TaskId): Promise<JournalView> {
  const entries = await readEntries(directory);
  const owner = entries.map((entry) => ownerSchema().safeParse(entry)).find((parsed) => parsed.success)?.data;
  const objects = entries.flatMap((entry) => {
    const parsed = objectSchema().safeParse(entry);
    return parsed.success ? [{ kind: parsed.data.kind, name: parsed.data.name }] : [];
  });
  const cache = entries.map((entry) => useSchema().safeParse(entry)).find((parsed) => parsed.success)?.data.cache;
  const template = entries.map((entry) => templateSchema().safeParse(entry)).find((parsed) => parsed.success)?.data.id;
  return { task, directory, owner, objects, ...(cache === undefined ? {} : { cache }), ...(template === undefined ? {} : { template }) };
}

/**
 * Reads the journals of all tasks that have a directory, unfinished ones included.
 * @throws LEDGER_UNREADABLE when it may not: what a crash left could then not be found
 */
export async function readTaskJournals(tasks: string): Promise<readonly JournalView[]> {
  try {
    return await readViews(tasks);
  } catch (error) {
    const errno = systemErrorCode(error);
    if (errno === undefined) throw error;
    throw new GloveboxError("LEDGER_UNREADABLE", "state.unreadable", { values: { directory: tasks, errno }, cause: error });
  }
}

async function readViews(tasks: string): Promise<readonly JournalView[]> {
  const views: JournalView[] = [];
  for (const name of await readdir(tasks)) {
    const directory = path.join(tasks, name);
    const finished = taskIdSchema.safeParse(name);
    const unfinished = parseUnfinishedName(name);
    if (finished.success) views.push(await readTask(directory, finished.data));
    else if (unfinished !== undefined)
      views.push({ task: unfinished.task, directory, owner: { ...unfinished, sandbox: undefined }, objects: [] });
  }
  return views;
}
