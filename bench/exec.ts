// One more command in an open process sandbox, beside Node's own spawn of the same program: as the boundary gives it, through the broker with
// decision and record, and through the door of a broker in another process. Budget: no slower.
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import type { ReachedBroker } from "../src/contracts/reached-broker.ts";
import { capture } from "../src/kit/spawn.ts";
import { removeScratch } from "../test/fixtures/scratch.ts";
import { untilEnded } from "../test/fixtures/served-broker.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

const installation = path.join(import.meta.dirname, "..");

interface Measured {
  readonly alternatives: readonly Alternative[];
  readonly end: () => Promise<void>;
}

async function throughBroker(name: string, broker: ReachedBroker, project: string): Promise<Alternative> {
  const policy = { projectDirectory: project, overrides: { filesystem: { allowWrite: [project] } } };
  const access = await broker.sandboxes.open({ policy, callerEnvironment: {} }, { signal: new AbortController().signal });
  const io = { signal: new AbortController().signal, onOutput: () => Promise.resolve(), onStart: () => {} };
  const run = async () => {
    await broker.sandboxes.exec(access, { argv: ["/usr/bin/true"], callerEnvironment: {}, environment: {} }, io);
    return undefined;
  };
  return { name, run };
}

/** Where the record lies in memory the device takes no time: what is left is what we take. */
async function withStateIn(directory: string, where: string): Promise<Measured> {
  const state = await realpath(await mkdtemp(path.join(directory, "glovebox-state-")));
  const project = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-used-")));
  const door = composeDoor({ environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" }, installation });
  const [held, reached] = [door.holdBroker(), await door.reachBroker()];
  const alternatives = [
    await throughBroker(`glovebox: through the broker, decided and recorded ${where}`, held, project),
    await throughBroker(`glovebox: through the door of a broker process, recorded ${where}`, reached, project),
  ];
  const end = async (): Promise<void> => {
    await held.stop();
    await reached.stop();
    await door.close();
    await untilEnded(state);
    await removeScratch(state);
    await removeScratch(project);
  };
  return { alternatives, end };
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
    printTimings(`one more command (${rounds} rounds in turn; budget 1.00x without the device's time)`, timings);
  } finally {
    await removeScratch(base);
  }
}
