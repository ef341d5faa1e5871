// One more command in an open process sandbox, beside Node's own spawn of the same program: as the boundary gives it, through the broker with
// decision and record, and through the door of a broker in another process. Budget: no slower.
import { mkdir, mkdtemp, open, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { composeDoor } from "../src/compose.ts";
import type { ReachedBroker } from "../src/contracts/reached-broker.ts";
import { capture } from "../src/kit/spawn.ts";
import { removeScratch } from "../test/fixtures/scratch.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

const installation = path.join(import.meta.dirname, "..");

/** What a record waits for: a device's own time, which is no part of what the budget is about. */
async function syncAlone(file: string): Promise<Alternative> {
  const handle = await open(file, "a");
  const run = async () => {
    await handle.appendFile(Buffer.alloc(1024));
    await handle.datasync();
    return undefined;
  };
  return { name: "1 KiB appended to a file and synced: what the device takes once", run };
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

async function brokerAlternatives(base: string) {
  const state = path.join(base, "state");
  const project = path.join(base, "used");
  await mkdir(state, { mode: 0o700 });
  await mkdir(project);
  const door = composeDoor({ environment: { XDG_STATE_HOME: state, PATH: "/usr/bin:/bin" }, installation });
  const [held, reached] = [door.holdBroker(), await door.reachBroker()];
  const alternatives = [
    await throughBroker("glovebox: the same through the broker, with decision and synced record", held, project),
    await throughBroker("glovebox: the same through the door of a broker in another process", reached, project),
    await syncAlone(path.join(base, "synced")),
  ];
  const end = async (): Promise<void> => {
    await held.stop();
    await reached.stop();
    await door.close();
  };
  return { alternatives, end };
}

export async function benchExec(rounds = 100): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  try {
    const { sandbox, project } = await openBenchSandbox(base);
    const { alternatives, end } = await brokerAlternatives(base);
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
        ...alternatives,
      ],
      rounds,
    );
    await sandbox.close();
    await end();
    printTimings(`one more command (${rounds} rounds in turn; budget 1.00x without the device's time)`, timings);
  } finally {
    await removeScratch(base);
  }
}
