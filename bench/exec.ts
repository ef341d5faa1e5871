// One more command in an open process sandbox, beside Node's own spawn of the same program: as the boundary gives it, through the broker with
// decision and record, and through the door of a broker in another process. Budget: no slower. And by the thin client, as an agent's shell does it, beside
// the program alone. Budget: 5 ms more.
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import type { SandboxAccess } from "../src/contracts/sandbox-door.ts";
import type { ReachedBroker } from "../src/contracts/reached-broker.ts";
import { capture } from "../src/kit/spawn.ts";
import { removeScratch } from "../test/fixtures/scratch.ts";
import { endBroker } from "../test/fixtures/served-broker.ts";
import { type Alternative, measureInTurn, printTimings, type Timing } from "./measure.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

const installation = path.join(import.meta.dirname, "..");

interface Measured {
  readonly alternatives: readonly Alternative[];
  readonly end: () => Promise<void>;
}

function openSandbox(broker: ReachedBroker, project: string): Promise<SandboxAccess> {
  const policy = { projectDirectory: project, overrides: { filesystem: { allowWrite: [project] } } };
  return broker.sandboxes.open({ policy, callerEnvironment: {} }, { signal: new AbortController().signal });
}

async function throughBroker(name: string, broker: ReachedBroker, project: string): Promise<Alternative> {
  const access = await openSandbox(broker, project);
  const io = { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} };
  const run = async () => {
    await broker.sandboxes.exec(access, { argv: ["/usr/bin/true"], callerEnvironment: {}, environment: {} }, io);
    return undefined;
  };
  return { name, run };
}

/** A command by the thin client. @param file what is started: the script that people start, or the client that it becomes */
function throughClient(name: string, [file, ...before]: readonly [string, ...string[]], about: Client): Alternative {
  const { sandbox, state, project } = about;
  const options = { environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" }, cwd: project };
  const run = async () => {
    const { code, stderr } = await capture(file, [...before, "sandbox", "exec", sandbox, "--", "/usr/bin/true"], options);
    if (code !== 0) throw new Error(stderr);
    return undefined;
  };
  return { name, run };
}

interface Client {
  readonly sandbox: string;
  readonly state: string;
  readonly project: string;
}

/** Where the record lies in memory the device takes no time: what is left is what we take. */
async function withStateIn(directory: string, where: string): Promise<Measured> {
  const state = await realpath(await mkdtemp(path.join(directory, "glovebox-state-")));
  const project = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-used-")));
  const door = composeDoor({ environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" }, installation });
  const [held, reached] = [door.holdBroker(), await door.reachBroker()];
  const { sandbox } = await openSandbox(reached, project);
  const client = { sandbox, state, project };
  const alternatives = [
    await throughBroker(`glovebox: through the broker, decided and recorded ${where}`, held, project),
    await throughBroker(`glovebox: through the door of a broker process, recorded ${where}`, reached, project),
    throughClient(`glovebox: thin client, recorded ${where}`, [path.join(installation, "build/client"), "/bin/false"], client),
    throughClient(`glovebox: ./glovebox sandbox exec, recorded ${where}`, [path.join(installation, "glovebox")], client),
  ];
  const end = async (): Promise<void> => {
    await held.stop();
    await endBroker(state, () => reached.stop());
    await door.close();
    await removeScratch(state);
    await removeScratch(project);
  };
  return { alternatives, end };
}

/** What the client takes beside the program alone: both are started by the same spawn. */
function printAdded([bare, ...timings]: readonly Timing[]): void {
  for (const { name, p50 } of timings.filter((timing) => / thin client,| exec, recorded/u.test(timing.name)))
    console.log(
      `\n${name}: +${(p50 - (bare?.p50 ?? Number.NaN)).toFixed(1)} ms over the program alone (budget +5 ms without the device's time)`,
    );
}

export async function benchExec(rounds = 100): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  try {
    const { sandbox, project } = await openBenchSandbox(base);
    const measured = [await withStateIn("/dev/shm", "in memory"), await withStateIn(os.tmpdir(), "on the device")];
    const timings = await measureInTurn(
      [
        { name: "Node spawn of /usr/bin/true", run: async () => void (await capture("/usr/bin/true", [])) },
        {
          name: "glovebox: exec of /usr/bin/true in an open sandbox",
          run: async () => {
            await runTrue(sandbox, project);
            return undefined;
          },
        },
        ...measured.flatMap(({ alternatives }) => alternatives),
      ],
      rounds,
    );
    await sandbox.close();
    for (const { end } of measured) await end();
    printAdded(timings);
    printTimings(`one more command (${rounds} rounds in turn; budget 1.00x without the device's time)`, timings);
  } finally {
    await removeScratch(base);
  }
}
