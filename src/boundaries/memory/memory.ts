// The memory boundary: honours the Boundary contract without a process, a file or a wall, so that what stands above it can be tested
// fast. It isolates nothing and is never placed by a broker of the product.
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import {
  type Boundary,
  type Command,
  type Execution,
  type OpenContext,
  type ProbeReport,
  type Sandbox,
  type SandboxSpec,
  type SandboxStats,
  type WallReport,
  noLateMasks,
} from "../../contracts/boundary.ts";
import type { EgressEndpoint } from "../../contracts/egress.ts";
import type { LimitHit } from "../../contracts/limits.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { MemoryExecution } from "./memory-execution.ts";
import { type Program, standardPrograms } from "./programs.ts";

export type { Program, ProgramIo } from "./programs.ts";

export interface MemoryOptions {
  /** Added to the standard ones: echo, complain, bytes, cat, flood, env, pwd, exit, sleep, ignore-term, true. */
  readonly programs?: Readonly<Record<string, Program>>;
  /** Makes every open fail with this, as a missing wall would. */
  readonly openFailure?: GloveboxError;
  /** Resolves when every sandbox is to have used up a limit. */
  readonly exhausted?: Promise<LimitHit>;
}

export interface MemoryBoundary extends Boundary {
  /** What was asked of it, in order: `open`, `journal process`, `exec echo hi`, `close`. */
  readonly events: readonly string[];
}

function wallsOf(spec: SandboxSpec): WallReport {
  return {
    layers: [{ name: "memory", detail: "no wall" }],
    limits: [],
    reads: [spec.projectDirectory, ...spec.paths.allowRead],
    hidden: [...spec.paths.denyRead],
    writes: [...spec.paths.allowWrite],
    connects: [],
    identity: { hostUid: spec.user.uid, hostGid: spec.user.gid, insideUid: spec.user.uid, capabilities: [] },
  };
}

class MemorySandbox implements Sandbox {
  readonly id;
  readonly walls;
  readonly exhausted: Promise<LimitHit>;
  readonly lateMasks = noLateMasks;
  readonly #spec: SandboxSpec;
  readonly #programs: Readonly<Record<string, Program>>;
  readonly #events: string[];
  readonly #running = new Set<MemoryExecution>();
  #isClosed = false;

  constructor(spec: SandboxSpec, { programs = {}, exhausted }: MemoryOptions, events: string[]) {
    this.id = spec.sandboxId;
    this.walls = wallsOf(spec);
    this.exhausted = exhausted ?? Promise.withResolvers<LimitHit>().promise;
    this.#spec = spec;
    this.#programs = { ...standardPrograms, ...programs };
    this.#events = events;
  }

  async exec(command: Command): Promise<Execution> {
    if (this.#isClosed) throw new GloveboxError("SANDBOX_CLOSED", "wall.sandbox-closed", { values: { sandbox: this.id } });
    this.#events.push(`exec ${command.argv.join(" ")}`);
    const name = command.argv[0].split("/").at(-1) ?? "";
    const program = Object.hasOwn(this.#programs, name) ? this.#programs[name] : undefined;
    const execution = new MemoryExecution(command, command.environment ?? this.#spec.environment, program);
    this.#running.add(execution);
    void execution.exit.then(() => this.#running.delete(execution));
    return execution;
  }

  stats(): Promise<SandboxStats> {
    return Promise.resolve({ processes: this.#running.size, openCommands: this.#running.size });
  }

  /** Nothing here uses anything. */
  usage(): undefined {
    return undefined;
  }

  /** Nothing here connects. */
  whoConnects(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    const isFirst = !this.#isClosed;
    this.#isClosed = true;
    if (isFirst) this.#events.push("close");
    if (isFirst) await leaveGate(this.#spec.egress);
    const running = [...this.#running];
    for (const execution of running) execution.lose("closed");
    await Promise.all(running.map(({ exit }) => exit));
  }
}

/** Sockets that hear nothing: no program here has a network. */
async function attachNothing(egress: EgressEndpoint): Promise<void> {
  try {
    await egress.attach({ tcp: createServer(), dns: createSocket("udp6") });
  } catch (error) {
    await egress.close();
    throw error;
  }
}

/** Whatever has to end ends, whether or not the gate takes its leave. */
async function leaveGate(egress: EgressEndpoint | undefined): Promise<void> {
  try {
    await egress?.close();
  } catch {
    // nothing more can be asked of it
  }
}

export function openMemoryBoundary(options: MemoryOptions = {}): MemoryBoundary {
  const events: string[] = [];
  return {
    kind: "memory",
    events,
    probe: (): Promise<ProbeReport> => Promise.resolve({ kind: "memory", usable: true, lines: [] }),
    async open(spec: SandboxSpec, context: OpenContext): Promise<Sandbox> {
      events.push("open");
      if (options.openFailure !== undefined) throw options.openFailure;
      context.signal.throwIfAborted();
      await context.journal({ kind: "process", name: spec.sandboxId });
      events.push("journal process");
      context.signal.throwIfAborted();
      if (spec.egress !== undefined) await attachNothing(spec.egress);
      return new MemorySandbox(spec, options, events);
    },
  };
}
