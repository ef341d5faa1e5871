// Attacks on other processes of the host: signals, memory, environment, descriptors, tracing, and daemons that stay behind.
import { open } from "node:fs/promises";
import path from "node:path";
import type { Attack, Scene } from "../harness/attack.ts";
import { makeCanary } from "../harness/ground.ts";
import { type Decoy, startDecoy } from "../harness/peers.ts";
import { provesWith } from "../harness/stages.ts";

/** The news of a process's end comes a moment after it. */
async function dies(decoy: { readonly isAlive: () => boolean }): Promise<boolean> {
  for (const end = Date.now() + 300; decoy.isAlive() && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, 10));
  return !decoy.isAlive();
}

const pidNamespace = "the guard must be process 1, so the test build keeps the pid namespace: no process of the host has a number inside";
const bothLayers = ["outer", "inner"] as const;

const decoyOf = (scene: Scene, secret: string, bait: Parameters<typeof startDecoy>[3] = {}): Promise<Decoy> =>
  startDecoy(scene.resources, scene.programs, secret, bait);

/** Outside there is no guard: the control attaches to a decoy of the same user. */
const traces =
  (inside: string): Attack["stage"] =>
  async (scene) => {
    const target = scene.configuration === "outside" ? String((await decoyOf(scene, "none")).pid) : inside;
    return provesWith("attached", () => [target])(scene);
  };

export const processes: readonly Attack[] = [
  {
    name: "kills a process of the host",
    families: [41],
    program: { sh: `kill -9 "$1"` },
    heldBy: [],
    heldAnyway: pidNamespace,
    stage: async (scene) => {
      const decoy = await decoyOf(scene, "none");
      return { arguments: [String(decoy.pid)], succeeded: () => dies(decoy) };
    },
  },
  {
    name: "reads the memory of a host process",
    families: [103],
    program: { c: "read-memory" },
    heldBy: [],
    heldAnyway: pidNamespace,
    stage: async (scene) => {
      const canary = makeCanary();
      const decoy = await decoyOf(scene, canary);
      return { arguments: [String(decoy.pid), decoy.address, decoy.length], succeeded: (run) => run.output.includes(canary) };
    },
  },
  {
    name: "reads environment and arguments of host processes",
    families: [39],
    program: { sh: `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -ao 'gbcanary-[0-9a-f]*'` },
    heldBy: [],
    heldAnyway: pidNamespace,
    stage: async (scene) => {
      const canaries = [makeCanary(), makeCanary()] as const;
      await decoyOf(scene, "none", { environment: { TOKEN: canaries[0] }, args: [`--token=${canaries[1]}`] });
      return { arguments: [], succeeded: (run) => canaries.some((canary) => run.output.includes(canary)) };
    },
  },
  {
    name: "reads a denied file through a descriptor that a host process holds",
    families: [1],
    program: { sh: `cat "/proc/$1/fd/$2"` },
    heldBy: [],
    heldAnyway: pidNamespace,
    stage: async ({ ground, resources }) => {
      const file = path.join(ground.outside, "victim.txt");
      const handle = await open(file, "r");
      resources.defer(() => handle.close());
      return { arguments: [String(process.pid), String(handle.fd)], succeeded: (run) => run.output.includes(ground.canaryOf(file)) };
    },
  },
  {
    name: "reads a denied file through the working directory of a host process",
    families: [1],
    program: { sh: `cat "/proc/$1/cwd/victim.txt"` },
    heldBy: [],
    heldAnyway: pidNamespace,
    stage: async (scene) => {
      const { ground } = scene;
      const decoy = await decoyOf(scene, "none", { cwd: ground.outside });
      return {
        arguments: [String(decoy.pid)],
        succeeded: (run) => run.output.includes(ground.canaryOf(path.join(ground.outside, "victim.txt"))),
      };
    },
  },
  {
    name: "attaches to the first process as a debugger",
    families: [103],
    users: ["ordinary"],
    program: { c: "trace-process" },
    heldBy: [],
    heldAnyway: "the guard is not dumpable, so nobody of its own user may trace it",
    stage: traces("1"),
  },
  {
    name: "attaches to the first process as a debugger, started by root",
    families: [103],
    users: ["root"],
    program: { c: "trace-process" },
    heldBy: bothLayers,
    stage: traces("1"),
  },
  {
    name: "attaches to the guard's process that started it",
    families: [103],
    users: ["ordinary"],
    program: { c: "trace-process" },
    heldBy: [],
    heldAnyway: "the guard is not dumpable, so nobody of its own user may trace it",
    stage: traces("parent"),
  },
  {
    name: "attaches to the guard's process that started it, started by root",
    families: [103],
    users: ["root"],
    program: { c: "trace-process" },
    heldBy: bothLayers,
    stage: traces("parent"),
  },
];
