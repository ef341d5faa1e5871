// The host's side of one captive network: takes the gate's two sockets from the program that made them, hands them on, tells the gate what
// the kernel refused, and takes leave of the gate before anything else ends. INVARIANT I-06, I-09
import { Socket } from "node:dgram";
import { Server } from "node:net";
import type { EgressEndpoint } from "../contracts/egress.ts";
import { gateResolver } from "../contracts/egress-places.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { isLoopbackHost } from "../kit/address-class.ts";
import type { spawnProcess } from "../kit/spawn.ts";
import { type CaptiveMessage, parseCaptiveMessage, protocolName } from "./captive-messages.ts";
import { type PortOwner, processOfPort } from "./who-connects.ts";

/** How long the gate may take to let go. The listeners end with their sandbox in any case. */
const leaveMs = 2000;
/** How long the program may take to say what was refused last. */
const settleMs = 500;
/** Refused attempts whose process is looked for: each costs a look at the whole tree. */
const namedMax = 100;

async function within(limitMs: number, promise: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface CaptiveForm {
  /** `two`: what captures is in a network of its own; `one`: in the application's, on a kernel without pairs of interfaces. */
  readonly networks: "one" | "two";
}

/** Where questions are redirected to when one network is all there is, as `native/captive/capture.c` has it. */
const redirectedPort = 1;

/** One question too many was refused where it had been redirected to already: whom it asked, the kernel does not say any more. */
function askedOf(to: { readonly address: string; readonly port?: number | undefined }): typeof to {
  return to.port === redirectedPort && isLoopbackHost(to.address) ? { address: gateResolver, port: 53 } : to;
}

export class CaptiveNetwork {
  readonly #egress: EgressEndpoint;
  readonly #attached = Promise.withResolvers<CaptiveForm>();
  readonly #child: ReturnType<typeof spawnProcess>;
  readonly #settled = Promise.withResolvers<void>();
  #tcp: Server | undefined;
  #form: CaptiveForm | undefined;
  #guardPid: number | undefined;
  #named = 0;
  #hasCalled = false;
  #hasLeft = false;
  #closing: Promise<void> | undefined;

  /** @param child the program, with an `ipc` channel */
  constructor(child: ReturnType<typeof spawnProcess>, egress: EgressEndpoint) {
    this.#child = child;
    this.#egress = egress;
    this.#attached.promise.catch(() => {}); // reported to whoever waits for it
    child.on("message", (value: unknown, handle: unknown) => this.#receive(value, handle));
    // Its own words about why are on its standard error, for whoever started it.
    const lose = (): void => {
      this.#attached.reject(new GloveboxError("SANDBOX_CLOSED", "guard.closed"));
      this.#settled.resolve();
    };
    child.on("disconnect", lose);
    child.on("error", lose);
  }

  /** Resolves when the gate listens; rejects when it does not want to, or when the program ended before. */
  get attached(): Promise<CaptiveForm> {
    return this.#attached.promise;
  }

  /** From now on, refused attempts carry the name of their process. */
  set guardPid(pid: number) {
    this.#guardPid = pid;
  }

  whoConnects(localPort: number): string | undefined {
    return this.#guardPid === undefined ? undefined : processOfPort(this.#guardPid, { protocol: "tcp", port: localPort });
  }

  /** Idempotent; never rejects, because what has to end ends whether or not the gate took its leave. */
  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  #receive(value: unknown, handle: unknown): void {
    const message = parseCaptiveMessage(value);
    switch (message?.kind) {
      case "tcp":
        if (handle instanceof Server) this.#tcp = handle;
        this.#form = { networks: message.networks };
        return;
      case "names":
        if (handle instanceof Socket) this.#attach(handle);
        return;
      case "refused":
        if (!this.#hasLeft) this.#tell(message);
        return;
      case "settled":
        this.#settled.resolve();
        return;
      case undefined: // not a word of ours: nothing is done, and without listeners nothing starts
    }
  }

  #attach(dns: Socket): void {
    const [tcp, form] = [this.#tcp, this.#form];
    if (tcp === undefined || form === undefined || this.#closing !== undefined) {
      tcp?.close();
      dns.close();
      return;
    }
    this.#hasCalled = true;
    this.#egress.attach({ tcp, dns }).then(() => this.#attached.resolve(form), this.#attached.reject);
  }

  #tell({ protocol, sourcePort, ...given }: CaptiveMessage & { kind: "refused" }): void {
    const name = protocolName(protocol);
    const { address, port } = this.#form?.networks === "one" && name === "udp" ? askedOf(given) : given;
    const process = sourcePort === undefined || name !== "udp" ? undefined : this.#nameOf({ protocol: name, port: sourcePort });
    this.#egress.refused({
      protocol: name,
      address,
      ...(port === undefined ? {} : { port }),
      ...(process === undefined ? {} : { process }),
    });
  }

  #nameOf(owner: PortOwner): string | undefined {
    if (this.#guardPid === undefined || (this.#named += 1) > namedMax) return undefined;
    return processOfPort(this.#guardPid, owner);
  }

  async #leave(): Promise<void> {
    if (!this.#hasCalled) {
      this.#tcp?.close();
      return;
    }
    await this.#settle();
    this.#hasLeft = true;
    try {
      await within(leaveMs, this.#egress.close());
    } catch {
      // Nothing more can be asked of the gate; its listeners end with the sandbox's network.
    }
  }

  /** What was refused before is told to the gate before it is closed. */
  async #settle(): Promise<void> {
    if (!this.#child.connected) return;
    this.#child.send("settle", () => {}); // whoever has ended says nothing more
    await within(settleMs, this.#settled.promise);
  }
}
