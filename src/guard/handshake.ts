// HELLO, rules, SEAL, READY: nothing is executed before the guard has said which walls stand, and they must be all. The host's part waits
// for nothing: it lies in the channel when the guard comes up. What the guard says of itself is judged before anything else is sent.
import { constants } from "node:os";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { errnoName } from "./errno-name.ts";
import { violation } from "./frame-decoder.ts";
import type { SessionMessage } from "./guard-message.ts";
import {
  type GuardMediation,
  type GuardRule,
  helloFrame,
  listedNameFrame,
  listedPathFrame,
  nestedFrame,
  readingFrames,
  type ReadRule,
  ruleFrame,
  sealFrame,
  sharedLockFrame,
  touchLogFrame,
  writeRootFrame,
} from "./host-frames.ts";
import { features, type LayerName, layers, sizes } from "./protocol.ts";

/** The inner walls as the guard reports them. */
export interface GuardReady {
  readonly landlockAbi: number;
  /** All of them, unless this is a test build that leaves some out. */
  readonly layers: readonly LayerName[];
  readonly isTestBuild: boolean;
}

export interface HandshakeOptions {
  /** Layers that the guard must not have said to stand: of a kernel that does not know them. Unless given all must stand. */
  readonly leftOut?: readonly LayerName[] | undefined;
  readonly allowTestBuild?: boolean;
  readonly readyTimeoutMs?: number;
}

/** Of a guard that was never restored; only such a one is configured. */
const firstEpoch = 1;

/** PATH_MAX without its NUL. */
const pathBytesMax = 4095;

function unavailable(situation: string, values: Readonly<Record<string, string | number>> = {}): GloveboxError {
  return new GloveboxError("WALL_UNAVAILABLE", situation, { values });
}

/** A root or name that the guard would not take would end it as a broken protocol; the person should read which one it is. */
function refuseUnusable({ writeRoots, listedNames, listedPaths }: GuardMediation): void {
  const badRoot = [...writeRoots, ...listedPaths].find(
    (path) => !path.startsWith("/") || path === "/" || path.includes("\0") || Buffer.byteLength(path) > pathBytesMax,
  );
  if (badRoot !== undefined) throw unavailable("guard.rule-unusable", { path: badRoot, errno: "EINVAL" });
  const badName = listedNames.find((name) => !/^[^/\0]+(?:\/[^/\0]+)?$/u.test(name) || Buffer.byteLength(name) > sizes.nameMax);
  if (badName !== undefined) throw unavailable("guard.rule-unusable", { path: badName, errno: "EINVAL" });
  if (writeRoots.length > sizes.rootsMax)
    throw unavailable("guard.rule-unusable", { path: writeRoots[sizes.rootsMax] ?? "", errno: "E2BIG" });
  if (listedPaths.length > sizes.pathsMax)
    throw unavailable("guard.rule-unusable", { path: listedPaths[sizes.pathsMax] ?? "", errno: "E2BIG" });
  if (listedNames.length > sizes.namesMax)
    throw unavailable("guard.rule-unusable", { path: listedNames[sizes.namesMax] ?? "", errno: "E2BIG" });
}

function isUsable({ segments }: ReadRule): boolean {
  const bytes = segments.reduce((sum, { text }) => sum + 3 + Buffer.byteLength(text), 1);
  const isWhole = segments.every(({ kind, text }) => (kind === "any") === (text === "") && !/[/\0]/u.test(text));
  return isWhole && segments.length > 0 && segments.length <= sizes.segmentsMax && bytes <= sizes.controlMax;
}

function refuseUnusableReading({ reading }: GuardMediation): void {
  const bad = reading?.rules.find((rule) => !isUsable(rule));
  if (bad !== undefined) {
    const path = `/${bad.segments.map(({ kind, text }) => (kind === "any" ? "**" : text)).join("/")}`;
    throw unavailable("guard.rule-unusable", { path, errno: "EINVAL" });
  }
  if (Math.max(reading?.rules.length ?? 0, reading?.exempt.length ?? 0) > sizes.readRulesMax)
    throw unavailable("guard.rule-unusable", { path: reading?.exempt[sizes.readRulesMax] ?? "", errno: "E2BIG" });
}

function landlockOld(): GloveboxError {
  return unavailable("guard.landlock-old", { needed: sizes.landlockAbiMin });
}

export class Handshake {
  readonly #send: (frame: Buffer) => void;
  readonly #options: HandshakeOptions;
  readonly #outcome = Promise.withResolvers<GuardReady>();
  #phase: "idle" | "waiting" | "ready" | "failed" = "idle";
  #rules: readonly GuardRule[] = [];
  #writeRoots: readonly string[] = [];
  #hello: (SessionMessage & { kind: "hello" }) | undefined;

  constructor(send: (frame: Buffer) => void, options: HandshakeOptions) {
    this.#send = send;
    this.#options = options;
    this.#outcome.promise.catch(() => {}); // reported to whoever runs it
  }

  get isReady(): boolean {
    return this.#phase === "ready";
  }

  async run(rules: readonly GuardRule[], mediation: GuardMediation): Promise<GuardReady> {
    if (this.#phase !== "idle") throw new TypeError("Cannot configure a guard twice");
    const unusable = rules.find(({ path }) => path.includes("\0") || Buffer.byteLength(path) > pathBytesMax);
    if (unusable !== undefined) throw unavailable("guard.rule-unusable", { path: unusable.path, errno: "ENAMETOOLONG" });
    refuseUnusable(mediation);
    refuseUnusableReading(mediation);
    this.#phase = "waiting";
    this.#rules = rules;
    this.#writeRoots = mediation.writeRoots;
    const frames = [
      ...rules.map(ruleFrame),
      ...mediation.writeRoots.map(writeRootFrame),
      ...mediation.listedNames.map(listedNameFrame),
      ...mediation.listedPaths.map(listedPathFrame),
      ...(mediation.touchLog === undefined ? [] : [touchLogFrame(mediation.touchLog)]),
      ...(mediation.sharedLock === undefined ? [] : [sharedLockFrame(mediation.sharedLock)]),
      ...readingFrames(mediation),
      ...(mediation.nested === undefined ? [] : [nestedFrame()]),
    ];
    this.#send(Buffer.concat([helloFrame(firstEpoch), ...frames, sealFrame()]));
    if (this.#hello !== undefined) this.#judge(this.#hello);
    const limitMs = this.#options.readyTimeoutMs ?? 10_000;
    const timer = setTimeout(() => this.lose(unavailable("guard.silent", { limitMs })), limitMs);
    try {
      return await this.#outcome.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws GUARD_PROTOCOL for a message that cannot come now */
  accept(message: SessionMessage): void {
    if (this.#phase === "failed") return; // refused already: its answer to what it was sent changes nothing
    switch (message.kind) {
      case "hello":
        if (this.#hello !== undefined) throw violation("hello-twice");
        this.#hello = message;
        if (this.#phase === "waiting") this.#judge(message);
        return;
      case "ready":
        if (this.#phase !== "waiting" || this.#hello === undefined) throw violation("ready-order");
        this.#acceptReady(message, (this.#hello.features & features.testBuild) !== 0);
        return;
      case "failed":
        if (this.#phase !== "waiting" || this.#hello === undefined) throw violation("failed-order");
        this.lose(this.#failure(message));
    }
  }

  lose(reason: GloveboxError): void {
    this.#phase = "failed";
    this.#outcome.reject(reason);
  }

  #judge(hello: SessionMessage & { kind: "hello" }): void {
    const isTestBuild = (hello.features & features.testBuild) !== 0;
    if (hello.version !== sizes.version) {
      this.lose(unavailable("guard.version", { found: hello.version, needed: sizes.version }));
    } else if (isTestBuild && this.#options.allowTestBuild !== true) {
      this.lose(unavailable("guard.test-build"));
    } else if (hello.epoch !== firstEpoch) {
      this.lose(violation("hello-epoch"));
    }
  }

  #acceptReady(message: SessionMessage & { kind: "ready" }, isTestBuild: boolean): void {
    const { all: _, ...single } = layers;
    const leftOut: readonly string[] = this.#options.leftOut ?? [];
    for (const wall of Object.keys(single)) {
      if (!isTestBuild && message.layers.some((layer) => layer === wall) === leftOut.includes(wall))
        return this.lose(unavailable("guard.wall-missing", { wall, errno: "-" }));
    }
    if (!isTestBuild && !leftOut.includes("landlock") && message.landlockAbi < sizes.landlockAbiMin) {
      return this.lose(landlockOld());
    }
    this.#phase = "ready";
    this.#outcome.resolve({ landlockAbi: message.landlockAbi, layers: message.layers, isTestBuild });
  }

  #failure(message: SessionMessage & { kind: "failed" }): GloveboxError {
    const errno = errnoName(message.errno);
    const path = message.rule === undefined ? undefined : this.#rules[message.rule]?.path;
    if (path !== undefined) return unavailable("guard.rule-unusable", { path, errno });
    const root = message.rule === undefined ? undefined : this.#writeRoots[message.rule - sizes.rootFailed];
    if (root !== undefined) {
      const isFolding = message.errno === constants.errno.EOPNOTSUPP;
      return unavailable(isFolding ? "guard.root-folds" : "guard.root-unreachable", { path: root, errno });
    }
    if (message.wall === "landlock" && message.errno === constants.errno.EOPNOTSUPP) return landlockOld();
    return unavailable("guard.wall-missing", { wall: message.wall, errno });
  }
}
