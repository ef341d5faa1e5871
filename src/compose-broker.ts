// How the broker of this user and state directory is reached, found and served, as composed. Part of compose.ts, and used by it alone; what a broker
// needs of the rest is handed in.
import path from "node:path";
import {
  ApprovalDesk,
  doorSocket,
  equalSecrets,
  prepareState,
  Sandboxes,
  type SandboxesNeeds,
  type StateLayout,
  webhookAsker,
  webhookDefaults,
} from "./broker/broker.ts";
import type { Door } from "./contracts/door.ts";
import { GloveboxError } from "./contracts/glovebox-error.ts";
import type { SharedBroker } from "./contracts/reached-broker.ts";
import {
  type BrokerPlace,
  brokerPlace,
  errorDocument,
  foundBroker,
  reachedBroker,
  serveDoor,
  type ServedDoor,
  type StartWord,
  stopBroker,
} from "./door/door.ts";
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
  readonly sandboxes: () => SandboxesNeeds;
}

type BrokerDoor = Pick<Door, "reachBroker" | "findBroker" | "stopBroker" | "reachRunningBroker" | "serveBroker">;

export class ComposedBroker implements BrokerDoor {
  readonly #parts: ComposedBrokerParts;

  constructor(parts: ComposedBrokerParts) {
    this.#parts = parts;
  }

  #place(): BrokerPlace | undefined {
    const { installation, environment, layout, runningFile } = this.#parts;
    const socketPath = doorSocket(layout);
    return socketPath === undefined
      ? undefined
      : brokerPlace({ installation, environment, socketPath, directory: layout.door, runningFile });
  }

  /** In a state that is made when it is missing. */
  #preparedPlace(): BrokerPlace {
    const { layout, uid } = this.#parts;
    prepareState(layout, uid);
    const place = this.#place();
    if (place !== undefined) return place;
    throw new GloveboxError("LEDGER_UNWRITABLE", "state.unwritable", { values: { directory: layout.state, errno: "ENOENT" } });
  }

  async reachBroker(): Promise<SharedBroker> {
    return reachedBroker(this.#preparedPlace());
  }

  async findBroker(): Promise<SharedBroker | undefined> {
    const place = this.#place();
    return place === undefined ? undefined : foundBroker(place);
  }

  async stopBroker(): Promise<void> {
    const place = this.#place();
    if (place !== undefined) await stopBroker(place);
  }

  async reachRunningBroker(): Promise<SharedBroker> {
    const broker = await this.findBroker();
    if (broker === undefined) throw new GloveboxError("SANDBOX_UNKNOWN", "sandbox.no-broker");
    return broker;
  }

  serveBroker: Door["serveBroker"] = async (serving) => {
    const place = this.#preparedPlace();
    const lock = await tryProcessLock(this.#parts.layout.doorLock);
    const word = async (state: StartWord): Promise<void> => serving.say(state);
    if (lock === undefined) {
      await word({ state: "taken" });
      return false;
    }
    try {
      await this.#parts.makeReady();
      await this.#serve(place, { signal: serving.signal, onListening: () => word({ state: "listening" }) });
      return true;
    } catch (error) {
      await word({ state: "failed", error: errorDocument(error) });
      throw error;
    } finally {
      lock.release();
    }
  };

  #desk(onChange: () => void, { nowMs }: SandboxesNeeds): ApprovalDesk {
    const { webhookKey: keyFile, uid } = this.#parts;
    return new ApprovalDesk({ nowMs, onChange, tell: webhookAsker({ ...webhookDefaults, keyFile, uid, nowMs }) });
  }

  #serve({ socketPath, directory }: BrokerPlace, about: Pick<ServedDoor, "signal" | "onListening">): Promise<void> {
    const { installation } = this.#parts;
    const needs = this.#parts.sandboxes();
    return serveDoor({
      place: { frontPath: path.join(installation, "build/door"), socketPath },
      directory,
      isEqual: equalSecrets,
      ...about,
      nowMs: needs.nowMs,
      isOutdated: () => needs.replacedProgram() !== undefined,
      makeSandboxes: (events) => new Sandboxes({ ...events, ...needs }),
      makeDesk: (onChange) => this.#desk(onChange, needs),
    });
  }
}
