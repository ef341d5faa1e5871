// The library: one more command beside Node's own spawn, and a session of 200 small commands beside srt's library. Budgets: no slower at the
// median without the device's time; a tenth of srt's overhead over the bare session.
import { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import { capture } from "../src/kit/spawn.ts";
import { Glovebox, type GloveboxOptions, type OpenSandbox } from "../src/lib.ts";
import { removeScratch } from "../test/fixtures/scratch.ts";
import { endBroker } from "../test/fixtures/served-broker.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";

const installation = path.join(import.meta.dirname, "..");
/** Commands of a coding agent between two edits: looking around, searching, running one test. */
const sessionCommands = [
  "ls -la",
  "cat package.json",
  "sed -n '1,40p' src/sum.js",
  "grep -rn part src",
  "git status --short",
  "git log --oneline -5",
  "git diff --stat",
  "find . -name '*.js' -not -path './.git/*'",
  "wc -l src/*.js",
  "sh test.sh",
] as const;
const sessionRounds = 20;
const hostEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin" };

interface OpenedLibrary {
  readonly sandbox: OpenSandbox;
  readonly end: () => Promise<void>;
}

async function openLibrary(broker: GloveboxOptions["broker"] & string, stateParent: string, project: string): Promise<OpenedLibrary> {
  const stateHome = await realpath(await mkdtemp(path.join(stateParent, "glovebox-library-")));
  const glovebox = new Glovebox({ broker, stateHome });
  const sandbox = await glovebox.open({ project });
  const end = async (): Promise<void> => {
    await glovebox.close();
    const door = composeDoor({ environment: { XDG_STATE_HOME: stateHome }, installation });
    await endBroker(stateHome, async () => (await door.findBroker())?.stop());
    await removeScratch(stateHome);
  };
  return { sandbox, end };
}

const exec = (name: string, { sandbox }: OpenedLibrary): Alternative => ({
  name,
  run: async () => {
    await sandbox.exec(["/usr/bin/true"]);
    return undefined;
  },
});

async function benchOne(project: string, rounds: number): Promise<void> {
  // In memory the device takes no time: what is left is what we take.
  const opened = {
    held: await openLibrary("hold", "/dev/shm", project),
    heldOnDevice: await openLibrary("hold", os.tmpdir(), project),
    attached: await openLibrary("attach", "/dev/shm", project),
  };
  const alternatives = [
    { name: "Node spawn of /usr/bin/true", run: async () => void (await capture("/usr/bin/true", [])) },
    exec("library, holding its broker, recorded in memory", opened.held),
    exec("library, holding its broker, recorded on the device", opened.heldOnDevice),
    exec("library, attached to a broker process, recorded in memory", opened.attached),
  ];
  const timings = await measureInTurn(alternatives, rounds);
  for (const { end } of Object.values(opened)) await end();
  printTimings(`library: one more command (${rounds} rounds in turn; budget 1.00x without the device's time)`, timings);
}

async function makeProject(base: string): Promise<string> {
  const project = path.join(base, "project");
  await mkdir(path.join(project, "src"), { recursive: true });
  await writeFile(path.join(project, "package.json"), '{"name": "small"}\n');
  for (let file = 0; file < 20; file += 1) await writeFile(path.join(project, `src/part-${file}.js`), "// one part\n".repeat(40));
  await writeFile(path.join(project, "src/sum.js"), "export const sum = (a, b) => a + b;\n");
  await writeFile(path.join(project, "test.sh"), 'test "$((2 + 3))" = 5 && echo passed\n');
  const git = "git init --quiet && git add . && git -c user.name=a -c user.email=a@b commit --quiet --message first";
  await capture("/bin/sh", ["-c", git], { environment: hostEnvironment, cwd: project });
  return project;
}

async function succeed(command: string, work: () => Promise<{ readonly code: number; readonly output: string }>): Promise<void> {
  const { code, output } = await work();
  if (code !== 0) throw new Error(`Cannot measure "${command}": exit code ${code}: ${output}`);
}

type Session = readonly [name: string, one: (command: string) => Promise<void>];

async function onHost(command: string, project: string, shell = command): Promise<void> {
  await succeed(command, async () => {
    const { code, stderr } = await capture("/bin/sh", ["-c", shell], { environment: hostEnvironment, cwd: project, timeoutMs: 30_000 });
    return { code, output: stderr };
  });
}

async function inLibrary(command: string, { sandbox }: OpenedLibrary): Promise<void> {
  await succeed(command, async () => {
    const { exitCode, stderr } = await sandbox.exec(["/bin/sh", "-c", command]);
    return { code: exitCode, output: stderr.text };
  });
}

/** Whole session for each, command by command in turn. Milliseconds. */
async function playSessions(sessions: readonly Session[]): Promise<readonly number[]> {
  const totals = sessions.map(() => 0);
  for (let round = 0; round < sessionRounds; round += 1)
    for (const command of sessionCommands)
      for (const [index, [, one]] of sessions.entries()) {
        const started = performance.now();
        await one(command);
        totals[index] = (totals[index] ?? 0) + performance.now() - started;
      }
  return totals;
}

async function benchSession(project: string): Promise<void> {
  const config = {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [project], denyWrite: [] },
  };
  await SandboxManager.initialize(config);
  const [inMemory, onDevice] = [await openLibrary("attach", "/dev/shm", project), await openLibrary("attach", os.tmpdir(), project)];
  const sessions: readonly Session[] = [
    ["sh -c COMMAND, no sandbox", (command) => onHost(command, project)],
    ["srt's library", async (command) => onHost(command, project, await SandboxManager.wrapWithSandbox(command))],
    // The device's time apart: it is all that makes our overhead another one when something else writes much.
    ["Glovebox's library, attached, recorded in memory", (command) => inLibrary(command, inMemory)],
    ["Glovebox's library, attached, recorded on the device", (command) => inLibrary(command, onDevice)],
  ];
  const totals = await playSessions(sessions);
  await inMemory.end();
  await onDevice.end();
  await SandboxManager.reset();
  const [bare = Number.NaN, srt = Number.NaN, ...ours] = totals;
  console.log(`\na session of ${sessionCommands.length * sessionRounds} small commands; srt's policy: ${JSON.stringify(config)}`);
  for (const [index, [name]] of sessions.entries()) {
    const total = totals[index] ?? Number.NaN;
    console.log(`  ${name.padEnd(54)} ${total.toFixed(0).padStart(7)} ms, ${(total - bare).toFixed(0).padStart(7)} ms over bare`);
  }
  const [memory = "", device = ""] = ours.map((total) => ((srt - bare) / (total - bare)).toFixed(1));
  console.log(`  srt's overhead is ${memory}x ours without the device's time (budget 10x), ${device}x with it`);
}

export async function benchLibrary(rounds = 100): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  try {
    const project = await makeProject(base);
    await benchOne(project, rounds);
    await benchSession(project);
  } finally {
    await removeScratch(base);
  }
}
