// What open sandboxes cost while nothing runs in them: resident memory of our processes, and fifty at once. Budget: 3 MiB for one, shared pages divided. And of the broker
// that holds a hundred of them. Budget: 150 MB.
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import type { Sandbox } from "../src/contracts/boundary.ts";
import { endBroker, processesOf } from "../test/fixtures/served-broker.ts";
import { waitUntil } from "../test/fixtures/wait-until.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

export const idleBudgetKib = 3 * 1024;

export interface OwnProcess {
  readonly pid: number;
  readonly program: string;
  readonly residentKib: number;
  /** Pages that several share are divided among them. */
  readonly proportionalKib: number;
}

async function ownProcess(pid: string, sandboxId: string): Promise<OwnProcess | undefined> {
  try {
    const [program = "", ...rest] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    if (!rest.includes(`--sandbox=${sandboxId}`)) return undefined;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
    const kib = (name: string): number => Number(new RegExp(`^${name}: *(\\d+) kB$`, "mu").exec(rollup)?.[1]);
    return { pid: Number(pid), program: path.basename(program), residentKib: kib("Rss"), proportionalKib: kib("Pss") };
  } catch {
    return undefined; // it ended between two looks, or is not ours to read
  }
}

/** Every process that bears the sandbox's mark: bubblewrap, the guard, and the keeper of each command. */
export async function ownProcesses(sandboxId: string): Promise<readonly OwnProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(pids.map((pid) => ownProcess(pid, sandboxId)));
  return found.filter((one) => one !== undefined);
}

const total = (processes: readonly OwnProcess[], of: "residentKib" | "proportionalKib"): number =>
  processes.reduce((sum, one) => sum + one[of], 0);

async function benchOne(base: string): Promise<void> {
  const { sandbox, project } = await openBenchSandbox(base);
  await runTrue(sandbox, project);
  printProcesses("just after a command", await ownProcesses(sandbox.id));
  await waitUntil("the end of the keeper that waits", async () => (await ownProcesses(sandbox.id)).length === 2);
  printProcesses("a while later", await ownProcesses(sandbox.id));
  await sandbox.close();
}

function printProcesses(moment: string, processes: readonly OwnProcess[]): void {
  console.log(`  ${moment}: resident ${total(processes, "residentKib")} KiB, proportional ${total(processes, "proportionalKib")} KiB`);
  for (const { program, residentKib, proportionalKib } of processes)
    console.log(`    ${program.padEnd(8)} resident ${residentKib} KiB, proportional ${proportionalKib} KiB`);
}

async function benchMany(base: string, count: number): Promise<void> {
  const started = performance.now();
  const open: Sandbox[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { sandbox, project } = await openBenchSandbox(path.join(base, String(index)));
      open.push(sandbox);
      await runTrue(sandbox, project);
    }),
  );
  const openedMs = performance.now() - started;
  const processes = (await Promise.all(open.map(({ id }) => ownProcesses(id)))).flat();
  await Promise.all(open.map((sandbox) => sandbox.close()));
  const left = (await Promise.all(open.map(({ id }) => ownProcesses(id)))).flat().length;
  console.log(`\n${count} sandboxes at once: open, and a command in each, ${(openedMs / count).toFixed(1)} ms for each`);
  console.log(`  ${processes.length} processes, proportional ${(total(processes, "proportionalKib") / 1024).toFixed(1)} MiB together`);
  console.log(`  after close ${left} processes`);
}

/** A hundred sandboxes of one broker, a command in each, and what the broker itself holds then. */
async function benchHeld(base: string, count = 100): Promise<void> {
  const state = path.join(base, "state");
  const project = path.join(base, "held");
  await mkdir(state, { mode: 0o700 });
  await mkdir(project);
  const door = composeDoor({
    environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" },
    installation: path.join(import.meta.dirname, ".."),
  });
  const broker = await door.reachBroker();
  const policy = { projectDirectory: project, overrides: { filesystem: { allowWrite: [project] } } };
  const io = { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} };
  for (let index = 0; index < count; index += 1) {
    const access = await broker.sandboxes.open({ policy, callerEnvironment: {} }, { signal: io.signal });
    await broker.sandboxes.exec(access, { argv: ["/usr/bin/true"], callerEnvironment: {}, environment: {} }, io);
  }
  const [pid = 0] = await processesOf(state, "broker");
  const kib = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "mu").exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
  const megabytes = (value: number): string => ((value * 1024) / 1e6).toFixed(0);
  console.log(`\n${count} open sandboxes, idle: their broker has ${megabytes(await kib("VmRSS"))} MB resident (budget 150 MB)`);
  console.log(`  at most ${megabytes(await kib("VmHWM"))} MB while they were opened, one after the other`);
  await endBroker(state, () => broker.stop());
  await broker[Symbol.asyncDispose]();
  await door.close();
}

export async function benchIdle(count = 50): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  try {
    console.log(`\nan idle sandbox (budget ${idleBudgetKib} KiB proportional)`);
    await benchOne(base);
    await benchMany(base, count);
    await benchHeld(base);
  } finally {
    await rm(base, { recursive: true });
  }
}
