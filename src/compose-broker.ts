// How the broker of this user and state directory is reached, found and served, as composed. Part of compose.ts, and used by it alone; what a broker
// needs of the rest is handed in.
import path from "node:path";
import {
  ApprovalDesk,
  equalSecrets,
  prepareState,
  Sandboxes,
  type SandboxesParts,
  type StateLayout,
  webhookAsker,
  webhookDefaults,
} from "./broker/broker.ts";
import type { Door } from "./contracts/door.ts";
import { GloveboxError } from "./contracts/glovebox-error.ts";
import type { SharedBroker } from "./contracts/reached-broker.ts";
import { type BrokerPlace, brokerPlace, errorDocument, foundBroker, reachedBroker, serveDoor, type StartWord } from "./door/door.ts";
import { tryProcessLock } from "./kit/process-lock.ts";

export interface ComposedBrokerParts {
  readonly layout: StateLayout;
  readonly uid: number;
  /** The file that holds the key of places which policies name for approvals. */
  readonly webhookKey: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory that holds src/ and build/. */
  readonly installation: string;
  /** The file of this program: source, bundle or compiled. */
  readonly runningFile: string;
  /** What dead brokers left is cleaned up, and what happens from now on can be recorded. */
  readonly makeReady: () => Promise<unknown>;
  readonly sandboxes: () => Pick<SandboxesParts, "prepare" | "nowMs">;
}

type BrokerDoor = Pick<Door, "reachBroker" | "findBroker" | "reachRunningBroker" | "serveBroker">;

export class ComposedBroker implements BrokerDoor {
  readonly #parts: ComposedBrokerParts;

  constructor(parts: ComposedBrokerParts) {
    this.#parts = parts;
  }

  #place(): BrokerPlace {
    const { installation, environment, layout, runningFile } = this.#parts;
    return brokerPlace({ installation, environment, runtime: layout.runtime, door: layout.door, runningFile });
  }

  #prepare(): void {
    prepareState(this.#parts.layout, this.#parts.uid);
  }

  async reachBroker(): Promise<SharedBroker> {
    this.#prepare();
    return reachedBroker(this.#place());
  }

  async findBroker(): Promise<SharedBroker | undefined> {
    return foundBroker(this.#place());
  }

  async reachRunningBroker(): Promise<SharedBroker> {
    const broker = await this.findBroker();
    if (broker === undefined) throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.no-broker");
    return broker;
  }

  serveBroker: Door["serveBroker"] = async (serving) => {
    this.#prepare();
    const lock = await tryProcessLock(this.#parts.layout.doorLock);
    const word = async (state: StartWord): Promise<void> => serving.say(state);
    if (lock === undefined) {
      await word({ state: "taken" });
      return false;
    }
    try {
      await this.#parts.makeReady();
      await this.#serve(serving.signal, () => word({ state: "listening" }));
      return true;
    } catch (error) {
      await word({ state: "failed", error: errorDocument(error) });
      throw error;
    } finally {
      lock.release();
    }
  };

  #desk(onChange: () => void): ApprovalDesk {
    const { webhookKey: keyFile, uid, sandboxes } = this.#parts;
    const { nowMs } = sandboxes();
    return new ApprovalDesk({ nowMs, onChange, tell: webhookAsker({ ...webhookDefaults, keyFile, uid, nowMs }) });
  }

  #serve(signal: AbortSignal, onListening: () => Promise<void>): Promise<void> {
    const { installation, sandboxes } = this.#parts;
    const { socketPath, directory } = this.#place();
    return serveDoor({
      place: { frontPath: path.join(installation, "build/door"), socketPath },
      directory,
      isEqual: equalSecrets,
      signal,
      onListening,
      makeSandboxes: (events) => new Sandboxes({ ...events, ...sandboxes() }),
      makeDesk: (onChange) => this.#desk(onChange),
    });
  }
}
