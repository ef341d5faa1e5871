// At which terminal a process stands, and at which those that started it do. Whoever left its session has none any more.
import { readFile } from "node:fs/promises";

export interface TerminalStanding {
  /** Device numbers of the controlling terminals of the process and of all above it. */
  readonly terminals: readonly number[];
  /** It is in the foreground of a terminal of its own: what is typed there comes to it. */
  readonly isInForeground: boolean;
}

const ancestorsMax = 128;

interface Entry {
  readonly parent: number;
  readonly group: number;
  /** 0: none. */
  readonly terminal: number;
  readonly foreground: number;
}

/** Undefined when there is no such process. */
async function entryOf(pid: number): Promise<Entry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // proc(5): the command name (field 2) may hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  const [parent = 0, group = 0, , terminal = 0, foreground = 0] = fields.slice(1, 6).map(Number);
  return { parent, group, terminal, foreground };
}

/** Of a process that is gone: at none. */
export async function terminalStanding(pid: number): Promise<TerminalStanding> {
  const terminals = new Set<number>();
  const own = await entryOf(pid);
  let entry = own;
  for (let count = 0; entry !== undefined && count < ancestorsMax; count += 1) {
    if (entry.terminal !== 0) terminals.add(entry.terminal);
    entry = entry.parent > 0 ? await entryOf(entry.parent) : undefined;
  }
  return { terminals: [...terminals], isInForeground: own !== undefined && own.terminal !== 0 && own.group === own.foreground };
}
