// The door of a broker: its front accepts and examines connections, and each that passes is served here. INVARIANT I-12
import { Socket } from "node:net";
import { rm } from "node:fs/promises";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { terminalStanding } from "../kit/terminal-standing.ts";
import { spawnProcess } from "../kit/spawn.ts";
import { DoorConnection } from "./door-connection.ts";
import type { DoorHost } from "./door-host.ts";

const connectionsMax = 256;
/** How long the front may take to listen. */
const listenMs = 10_000;

export interface DoorPlace {
  /** The program that accepts: build/door. */
  readonly frontPath: string;
  readonly socketPath: string;
}

function isListening(message: unknown): boolean {
  return typeof message === "object" && message !== null && "kind" in message && message.kind === "listening";
}

/** 0, which is nobody, for a front that does not say. */
function peerOf(message: unknown): number {
  return typeof message === "object" && message !== null && "pid" in message && typeof message.pid === "number" ? message.pid : 0;
}

export class DoorServer {
  readonly #place: DoorPlace;
  readonly #host: DoorHost;
  readonly #front: ReturnType<typeof spawnProcess>;
  readonly #listening = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #connections = new Set<DoorConnection>();

  private constructor(place: DoorPlace, host: DoorHost) {
    this.#place = place;
    this.#host = host;
    this.#front = spawnProcess(place.frontPath, [place.socketPath], {
      environment: {},
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      ownGroup: true,
    });
    let words = "";
    this.#front.stderr?.on("data", (chunk: Buffer) => (words = `${words}${chunk.toString()}`.slice(0, 1024)));
    this.#front.on("message", (message, handle) => {
      if (isListening(message)) this.#listening.resolve();
      else if (handle instanceof Socket) this.#accept(handle, peerOf(message));
    });
    const lose = (): void => {
      this.#listening.reject(this.#failure(words.trim()));
      this.#ended.resolve();
    };
    this.#front.on("error", lose);
    this.#front.on("close", lose);
  }

  #failure(words: string): GloveboxError {
    return new GloveboxError("BROKER_UNAVAILABLE", "door.front-failed", {
      values: { socket: this.#place.socketPath, reason: words === "" ? "ended" : words },
    });
  }

  /** Resolves when clients can connect. The caller holds the broker's lock: a socket that lies there is nobody's. @throws BROKER_UNAVAILABLE */
  static async open(place: DoorPlace, host: DoorHost): Promise<DoorServer> {
    const server = new DoorServer(place, host);
    const timer = setTimeout(() => server.#listening.reject(server.#failure("silent")), listenMs);
    try {
      await server.#listening.promise;
      return server;
    } catch (error) {
      await server.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the front has ended: nobody can connect any more. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  #accept(socket: Socket, pid: number): void {
    if (this.#connections.size >= connectionsMax) {
      socket.destroy();
      return;
    }
    const connection = new DoorConnection(socket, this.#host, () => terminalStanding(pid));
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
  }

  /** Nobody comes in any more; who is in may hear the rest. */
  async shut(): Promise<void> {
    this.#front.kill("SIGKILL");
    await this.#ended.promise;
    await rm(this.#place.socketPath, { force: true });
  }

  async close(): Promise<void> {
    await this.shut();
    for (const connection of this.#connections) connection.close();
  }
}
