// One open container: commands through the guard and never through the runtime, evidence from the host, and an end that leaves nothing.
import {
  type Command,
  type Dialling,
  type Execution,
  type HandingBack,
  type LeftBounds,
  noLateMasks,
  type OpenContext,
  type Pausable,
  type Sandbox,
  type SandboxSpec,
  type SandboxStats,
  type WallReport,
} from "../../contracts/boundary.ts";
import type { ArtifactBounds } from "../../contracts/artifacts.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { LimitHit, UsageEvidence } from "../../contracts/limits.ts";
import { settles } from "../../kit/settles.ts";
import {
  Freezer,
  freezerPlace,
  type HostProcess,
  type LimitPlan,
  LimitWatch,
  lookAtProcess,
  ofCommands,
  removeCgroup,
  treeOf,
} from "../../linux/linux.ts";
import { containerEnvironment } from "./environment.ts";
import type { ContainerIdentity } from "./identity.ts";
import { memoryFileOf } from "./gvisor.ts";
import { guardInside, homeInside, inputInside, laidOutInside, outputInside, sharedInside, temporaryInside } from "./inside.ts";
import { killStarted, type Launched } from "./launch.ts";
import { privateDirectory, stageDirectory } from "./root-layout.ts";

const graceMs = 2000;
/** How long the runtime may take to follow the guard; then it is killed too. */
const followMs = 3000;

const placeOf = (output: string): string => `${outputInside}/${output}`;

export interface Occupied {
  readonly launched: Launched;
  readonly limits: LimitPlan;
  readonly isGvisor: boolean;
  readonly identity: ContainerIdentity;
  readonly walls: WallReport;
  /** All that were journalled: those of the limits, and what the runtime made beside them. */
  readonly groups: readonly string[];
  readonly journal: OpenContext["journal"];
}

export class ContainerSandbox implements Sandbox, Dialling, HandingBack, Pausable {
  readonly id;
  readonly walls: WallReport;
  readonly lateMasks = noLateMasks;
  readonly endingPlaces: readonly string[];
  readonly #spec: SandboxSpec;
  readonly #occupied: Occupied;
  readonly #guard: HostProcess | undefined;
  readonly #watch: LimitWatch;
  readonly #freezer: Freezer;
  readonly #exhausted = Promise.withResolvers<LimitHit>();
  #closing: Promise<void> | undefined;

  constructor(spec: SandboxSpec, occupied: Occupied) {
    const { launched, limits, walls, journal, isGvisor } = occupied;
    this.id = spec.sandboxId;
    this.walls = walls;
    this.#spec = spec;
    this.endingPlaces = [spec.projectDirectory, homeInside, temporaryInside];
    this.#occupied = occupied;
    this.#guard = lookAtProcess(launched.guardPid);
    const processes = (): readonly HostProcess[] => (isGvisor ? this.#remaining() : ofCommands(this.#remaining()));
    const stage = `${stageDirectory}/${privateDirectory}`;
    this.#freezer = new Freezer({
      sandboxId: spec.sandboxId,
      place: () => freezerPlace(spec.sandboxId, limits.cgroups),
      processes,
      journal,
    });
    this.#watch = new LimitWatch({
      guardPid: launched.guardPid,
      plan: limits,
      ...(isGvisor
        ? {
            privatePlaces: [stage],
            kernel: {
              rootPid: launched.runtimePid,
              pids: () => treeOf(launched.runtimePid).map(({ pid }) => pid),
              memoryFile: memoryFileOf(launched.guardPid),
            },
          }
        : { privatePlaces: [temporaryInside, sharedInside] }),
      writeRoots: [],
      isIdle: () => launched.session.openCommands === 0,
    });
    void this.#watch.exhausted.then((hit) => this.#exhausted.resolve(hit));
    // Fails closed because nobody would tell of the container's end any more.
    void launched.left.then(() => launched.session.fail(new GloveboxError("SANDBOX_CLOSED", "guard.lost")));
  }

  get exhausted(): Promise<LimitHit> {
    return this.#exhausted.promise;
  }

  whoConnects(localPort: number): string | undefined {
    return this.#occupied.launched.captive?.network.whoConnects(localPort);
  }

  async exec(command: Command): Promise<Execution> {
    if (this.#closing !== undefined) throw new GloveboxError("SANDBOX_CLOSED", "wall.sandbox-closed", { values: { sandbox: this.id } });
    const { launched, limits: plan, identity } = this.#occupied;
    const given = containerEnvironment(command.environment ?? this.#spec.environment, this.#spec.user, identity.name);
    const environment = {
      ...given,
      ...(this.#spec.inputDirectory === undefined ? {} : { INPUT_DIR: inputInside }),
      ...(command.output === undefined ? {} : { OUTPUT_DIR: placeOf(command.output) }),
    };
    const { limits, resources } = plan;
    const onFileLimit = (observed: number): void => this.#exhausted.resolve({ limit: "disk", allowed: limits.diskBytes, observed });
    const { onRefused } = command;
    const started = launched.session.exec({ ...command, environment }, { limits: resources, onFileLimit, onRefused });
    const execution = await this.#freezer.awaits(started);
    this.#watch.start();
    void execution.exit.then(() => this.#watch.lookAtEnd());
    return execution;
  }

  /** The guard's own program connects, behind the walls of a command. */
  dial(port: number): Promise<Execution> {
    return this.exec({ argv: [guardInside, "dial", String(port)], cwd: "/", environment: {} });
  }

  collect(output: string, { count, bytes }: ArtifactBounds, left: LeftBounds): Promise<Execution> {
    const words = [count, bytes, placeOf(output), left.count, left.sinceMs, laidOutInside];
    return this.#read(["collect", ...words.map(String), ...this.endingPlaces]);
  }

  rescue(paths: readonly string[], { count, bytes }: ArtifactBounds): Promise<Execution> {
    // Who names a file wants it, whoever wrote it.
    const marker = paths.length === 0 ? laidOutInside : "-";
    return this.#read(["rescue", String(count), String(bytes), marker, ...(paths.length === 0 ? this.endingPlaces : paths)]);
  }

  /** The guard's own program, behind the walls of a command. */
  async #read(words: readonly string[]): Promise<Execution> {
    const argv = [guardInside, ...words] as const;
    const execution = await this.exec({ argv, cwd: "/", environment: {}, hasInput: false });
    // It is ours and soon over: who pauses meanwhile waits for it.
    void this.#freezer.awaits(execution.gone);
    return execution;
  }

  async stats(): Promise<SandboxStats> {
    const { openCommands } = this.#occupied.launched.session;
    const held = this.#watch.held();
    // Of gVisor's tasks the host sees none: commands of which the guard says that something is left are counted in their place.
    const processes = this.#occupied.isGvisor ? openCommands : ofCommands(this.#remaining()).length;
    return { processes, openCommands, ...(held === undefined ? {} : { held }) };
  }

  usage(): UsageEvidence {
    return this.#watch.usage();
  }

  pause(): Promise<void> {
    return this.#freezer.pause();
  }

  resume(): void {
    this.#freezer.resume();
  }

  close(how?: "atOnce"): Promise<void> {
    this.#closing ??= this.#end(how);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The container's processes now; none once its first has ended, whatever has its number today. */
  #remaining(): readonly HostProcess[] {
    const now = lookAtProcess(this.#occupied.launched.guardPid);
    if (now === undefined || now.startTicks !== this.#guard?.startTicks) return [];
    return treeOf(now.pid);
  }

  async #end(how: "atOnce" | undefined): Promise<void> {
    // Before anything else: nothing of what is still running leaves any more.
    await this.#occupied.launched.captive?.network.close();
    // What is stopped could not end.
    this.#freezer.resume();
    await this.#endProcesses(how === "atOnce" ? 0 : graceMs);
    this.#watch.close();
    await this.#freezer.remove();
    for (const directory of this.#occupied.groups) await removeCgroup(directory);
  }

  async #endProcesses(waitMs: number): Promise<void> {
    const { session, child, ended, guardPid } = this.#occupied.launched;
    await session.close(waitMs);
    if (await settles(ended, followMs)) return;
    // The guard did not end with its channel: its namespace ends with it, and the runtime after it.
    if (this.#remaining().length > 0) process.kill(guardPid, "SIGKILL");
    if (await settles(ended, followMs)) return;
    killStarted(child);
    await ended;
  }
}
