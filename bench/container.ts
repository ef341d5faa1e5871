// Opening a container to the first byte of its first command, beside the bare runtime's `run` of the same programs in the same namespaces. Budget:
// 1.3x. And one more command in an open container beside a bare spawn. Budget: 3 ms more.
import { chmod, mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { openContainerBoundary } from "../src/boundaries/container/container.ts";
import { containerIdentity } from "../src/boundaries/container/identity.ts";
import { ociDocument } from "../src/boundaries/container/oci-document.ts";
import { gvisorFlags, platformOf } from "../src/boundaries/container/gvisor.ts";
import { findRuntime, isGvisor, runCommand, type Runtime, runtimeNames } from "../src/boundaries/container/runtimes.ts";
import type { Sandbox, SandboxSpec } from "../src/contracts/boundary.ts";
import { capture, spawnProcess } from "../src/kit/spawn.ts";
import { containerOptions } from "../test/fixtures/container-options.ts";
import { removeScratch } from "../test/fixtures/scratch.ts";
import { benchSpec } from "./open.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";

const said = ["/usr/bin/echo", "x"] as const;

/** What a person would write: the same document, with a bind mount of /usr in a root of a few directories, and without the guard. */
async function bareBundle(base: string, { user, sandboxId }: SandboxSpec): Promise<string> {
  const [bundle, root] = [path.join(base, "bundle"), path.join(base, "root")];
  for (const name of ["proc", "dev", "usr", "tmp"]) await mkdir(path.join(root, name), { recursive: true, mode: 0o755 });
  for (const name of ["lib", "lib64", "bin"]) await symlink(`usr/${name}`, path.join(root, name));
  await mkdir(bundle);
  const identity = containerIdentity(user, sandboxId);
  const document = ociDocument({
    sandboxId,
    identity,
    root,
    sharedBytes: 1 << 20,
    isNetworkGiven: false,
    boundProcessors: undefined,
    guardArguments: [],
    places: [],
  });
  const usr = { destination: "/usr", type: "bind", source: "/usr", options: ["rbind", "ro"] };
  const bare = { ...document, process: { ...document.process, args: said }, mounts: [...document.mounts, usr] };
  await writeFile(path.join(bundle, "config.json"), JSON.stringify(bare));
  return bundle;
}

/** A name of its own each time, so that nothing waits for the end of the last. */
async function bareAlternative(runtime: Runtime, base: string): Promise<Alternative> {
  const spec = benchSpec({ project: base, privateDirectory: base });
  const bundle = await bareBundle(base, spec);
  const flags = isGvisor(runtime) ? gvisorFlags(await platformOf(runtime), spec.user.uid) : [];
  const places = { state: path.join(base, "runtime"), bundle, flags };
  return {
    name: `bare ${runtime.name} run`,
    run: async () => {
      const [program = "", ...words] = runCommand(runtime, places, benchSpec({ project: base, privateDirectory: base }).sandboxId);
      const preserve = words.indexOf("--preserve-fds");
      const args = preserve === -1 ? words : words.toSpliced(preserve, 2);
      const started = performance.now();
      const child = spawnProcess(program, args, { environment: {}, cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
      const closed = new Promise((resolve) => child.on("close", resolve));
      let firstMs = Number.NaN;
      child.stdout?.once("data", () => (firstMs = performance.now() - started));
      await closed;
      return firstMs;
    },
  };
}

const quiet = () => ({ signal: new AbortController().signal, journal: () => Promise.resolve() });

async function runToEnd(sandbox: Sandbox): Promise<undefined> {
  const execution = await sandbox.exec({ argv: [...said], cwd: "/" });
  for await (const chunk of execution.output) void chunk;
  await execution.exit;
}

async function firstByte(sandbox: Sandbox): Promise<void> {
  const execution = await sandbox.exec({ argv: [...said], cwd: "/" });
  for await (const chunk of execution.output) if (chunk.bytes.length > 0) return;
}

function containerAlternative({ name }: Runtime, base: string): Alternative & { close(): Promise<void> } {
  const boundary = openContainerBoundary(containerOptions(name));
  let last: Sandbox | undefined;
  return {
    name: `glovebox: open container/${name}`,
    run: async () => {
      await last?.close();
      const spec = benchSpec({ project: base, privateDirectory: base });
      const started = performance.now();
      last = await boundary.open(spec, quiet());
      await firstByte(last);
      return performance.now() - started;
    },
    close: async () => {
      await last?.close();
      last = undefined;
    },
  };
}

async function benchCommands(runtimes: readonly Runtime[], project: string, rounds: number): Promise<void> {
  const spec = benchSpec({ project, privateDirectory: project });
  const bare: Alternative = { name: "bare spawn", run: async () => void (await capture(said[0], [said[1]])) };
  const opened: { readonly name: string; readonly sandbox: Sandbox }[] = [];
  try {
    for (const { name } of runtimes) {
      const { sandboxId } = benchSpec({ project, privateDirectory: project });
      opened.push({ name, sandbox: await openContainerBoundary(containerOptions(name)).open({ ...spec, sandboxId }, quiet()) });
    }
    const inside = opened.map(({ name, sandbox }) => ({ name: `in an open container/${name}`, run: () => runToEnd(sandbox) }));
    printTimings(`one more command (${rounds} rounds in turn; budget + 3 ms)`, await measureInTurn([bare, ...inside], rounds));
  } finally {
    for (const { sandbox } of opened) await sandbox.close();
  }
}

/** crun alone does not start where both versions of control groups are mounted: what is compared with is runc. */
export async function benchContainer(rounds = 30): Promise<void> {
  const runtimes = runtimeNames.flatMap((name) => findRuntime(name) ?? []);
  const [runc] = runtimes;
  if (runc?.name !== "runc") {
    console.log("\ncontainer: missing");
    return;
  }
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  const project = path.join(base, "project");
  const contained = runtimes.map((runtime) => containerAlternative(runtime, project));
  try {
    await chmod(base, 0o711); // root's container is somebody else
    const bare = await bareAlternative(runc, base);
    printTimings(
      `container open + first byte (${rounds} rounds in turn; budget 1.30x)`,
      await measureInTurn([bare, ...contained.filter((_, index) => runtimes[index]?.name !== "runsc")], rounds),
    );
    const gvisor = runtimes.find(isGvisor);
    const ours = contained[gvisor === undefined ? -1 : runtimes.indexOf(gvisor)];
    if (gvisor !== undefined && ours !== undefined)
      printTimings(
        `container of gVisor, open + first byte (${rounds} rounds in turn; budget 1.30x)`,
        await measureInTurn([await bareAlternative(gvisor, path.join(base, "gvisor")), ours], rounds),
      );
    for (const { close } of contained) await close();
    await benchCommands(runtimes, project, rounds);
  } finally {
    for (const { close } of contained) await close();
    await removeScratch(base);
  }
}
