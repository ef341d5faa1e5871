// One open process sandbox: commands through the guard, evidence from the host, and an end that leaves nothing.
import {
  type Command,
  type Dialling,
  type Execution,
  type LateMasks,
  noLateMasks,
  type OpenContext,
  type Pausable,
  type Sandbox,
  type SandboxSpec,
  type SandboxStats,
  type WallReport,
} from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { LimitHit, UsageEvidence } from "../../contracts/limits.ts";
import { settles } from "../../kit/settles.ts";
import {
  Freezer,
  freezerPlace,
  type HostProcess,
  LimitWatch,
  lookAtProcess,
  ofCommands,
  removeCgroup,
  treeOf,
  type WatchTarget,
} from "../../linux/linux.ts";
import { type KnownDirectories, sandboxEnvironment } from "./environment.ts";
import { guardInside, inputInside } from "./inside.ts";
import type { Launched } from "./launch.ts";
import type { Masker } from "./masker.ts";
import type { SandboxPlan } from "./plan.ts";

const graceMs = 2000;
/** How long bubblewrap may take to follow the guard; then it is killed too. */
const followMs = 3000;

export interface Running extends Launched {
  readonly masker: Masker | undefined;
  readonly journal: OpenContext["journal"];
}

export class ProcessSandbox implements Sandbox, Dialling, Pausable {
  readonly id;
  readonly walls: WallReport;
  readonly #spec: SandboxSpec;
  readonly #knownDirectories: KnownDirectories = new Map();
  readonly #plan: SandboxPlan;
  readonly #launched: Running;
  readonly #guard: HostProcess | undefined;
  readonly #exhausted = Promise.withResolvers<LimitHit>();
  readonly #freezer: Freezer;
  #watch: LimitWatch | undefined;
  #closing: Promise<void> | undefined;

  constructor(spec: SandboxSpec, plan: SandboxPlan, launched: Running, walls: WallReport) {
    this.id = spec.sandboxId;
    this.walls = walls;
    this.#spec = spec;
    this.#plan = plan;
    this.#launched = launched;
    this.#guard = lookAtProcess(launched.guardPid);
    const { cgroups } = plan.limits;
    const processes = (): readonly HostProcess[] => ofCommands(this.#remaining());
    this.#freezer = new Freezer({
      sandboxId: spec.sandboxId,
      place: () => freezerPlace(spec.sandboxId, cgroups),
      processes,
      journal: launched.journal,
    });
    // Fails closed because a file that appears now would not be hidden any more.
    void launched.masker?.ended.then((reason) => {
      if (reason !== undefined) launched.session.fail(reason);
    });
  }

  get lateMasks(): LateMasks {
    return this.#launched.masker?.lateMasks ?? noLateMasks;
  }

  whoConnects(localPort: number): string | undefined {
    return this.#launched.captive?.network.whoConnects(localPort);
  }

  get exhausted(): Promise<LimitHit> {
    return this.#exhausted.promise;
  }

  /** Once. Not for a test without the outer wall, whose places are the host's. */
  watch(target: WatchTarget): void {
    this.#watch = new LimitWatch(target);
    void this.#watch.exhausted.then((hit) => this.#exhausted.resolve(hit));
  }

  async exec(command: Command): Promise<Execution> {
    if (this.#closing !== undefined) throw new GloveboxError("SANDBOX_CLOSED", "wall.sandbox-closed", { values: { sandbox: this.id } });
    const given = sandboxEnvironment(command.environment ?? this.#spec.environment, this.#plan.pathFacts, this.#knownDirectories);
    const environment = this.#spec.inputDirectory === undefined ? given : { ...given, INPUT_DIR: inputInside };
    // What the host changed before the command was asked for is hidden from its first instruction on.
    await this.#launched.masker?.settle();
    const { limits, resources } = this.#plan.limits;
    const onFileLimit = (observed: number): void => this.#exhausted.resolve({ limit: "disk", allowed: limits.diskBytes, observed });
    const { onRefused } = command;
    const started = this.#launched.session.exec({ ...command, environment }, { limits: resources, onFileLimit, onRefused });
    const execution = await this.#freezer.awaits(started);
    this.#watch?.start();
    void execution.exit.then(() => this.#watch?.lookAtEnd());
    return execution;
  }

  /** The guard's own program connects, behind the walls of a command. */
  dial(port: number): Promise<Execution> {
    return this.exec({ argv: [guardInside, "dial", String(port)], cwd: "/", environment: {} });
  }

  async stats(): Promise<SandboxStats> {
    const { session } = this.#launched;
    const held = this.#watch?.held();
    const { openCommands } = session;
    return { processes: ofCommands(this.#remaining()).length, openCommands, ...(held === undefined ? {} : { held }) };
  }

  usage(): UsageEvidence | undefined {
    return this.#watch?.usage();
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

  /** The sandbox's processes now; none once its first has ended, whatever has its number today. */
  #remaining(): readonly HostProcess[] {
    const now = lookAtProcess(this.#launched.guardPid);
    if (now === undefined || now.startTicks !== this.#guard?.startTicks) return [];
    return treeOf(now.pid);
  }

  async #end(how: "atOnce" | undefined): Promise<void> {
    // Before anything else: nothing of what is still running leaves any more.
    await this.#launched.captive?.network.close();
    // What is stopped could not end.
    this.#freezer.resume();
    await this.#endProcesses(how === "atOnce" ? 0 : graceMs);
    // Only now: until its last process has ended, what is hidden stays hidden.
    await this.#launched.masker?.close();
    this.#watch?.close();
    await this.#freezer.remove();
    for (const { directory } of this.#plan.limits.cgroups) await removeCgroup(directory);
  }

  async #endProcesses(waitMs: number): Promise<void> {
    const { session, child } = this.#launched;
    await session.close(waitMs);
    if (await settles(child.ended, followMs)) return;
    // The guard did not end with its channel: its namespace ends with it, and bubblewrap after it.
    if (this.#remaining().length > 0) process.kill(this.#launched.guardPid, "SIGKILL");
    if (await settles(child.ended, followMs)) return;
    child.kill();
    await child.ended;
  }
}
