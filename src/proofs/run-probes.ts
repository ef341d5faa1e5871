// Runs the probes in one sandbox, by the ordinary way in, and looks from the host: while the program pauses, and after it has ended.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import type { HostUser } from "../contracts/boundary.ts";
import type { RunIo, RunRequest, RunResult, VerifyReport } from "../contracts/door.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import { lookAtProcess, processesWith, type ProcessLook } from "./look-at-process.ts";
import { type Ear, openEars } from "./loopback-ears.ts";
import { type Answer, daemonWord, parseAnswers, pauseLine, probeScript } from "./probe-script.ts";
import { probeSteps } from "./probe-steps.ts";
import { type Baits, isBelow, makeCanary, plantBaits, type ProvingGround } from "./proving-ground.ts";

export interface ProofParts {
  readonly user: HostUser;
  /** The caller's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The policy of a selection, with its relative places in another project. */
  readonly policyFor: (projectDirectory: string) => Promise<CompiledPolicy>;
  readonly run: (policy: CompiledPolicy, request: RunRequest, io: RunIo) => Promise<RunResult>;
  /** Oldest first. */
  readonly recordsOf: (task: string) => readonly StoredRecord[];
  /** Newest first, of all tasks. */
  readonly recentRecords: () => readonly StoredRecord[];
  readonly verify: () => Promise<VerifyReport>;
}

export interface Seen {
  readonly ground: ProvingGround;
  readonly policy: CompiledPolicy;
  readonly baits: Baits;
  readonly ears: readonly Ear[];
  readonly answers: ReadonlyMap<string, Answer>;
  readonly output: string;
  /** Of the probe while it paused, of its child that had left the session, and of ourselves. */
  readonly probe: ProcessLook | undefined;
  readonly daemon: ProcessLook | undefined;
  readonly self: ProcessLook | undefined;
  readonly secret: { readonly name: string; readonly value: string };
  readonly homeNames: readonly string[];
  /** Files of the system that the host could read and nobody inside should. */
  readonly systemSecrets: readonly { readonly file: string; readonly content: string }[];
  /** Sockets of container engines on the host. */
  readonly engines: readonly string[];
  readonly result: RunResult;
  readonly records: readonly StoredRecord[];
  readonly verified: VerifyReport;
  /** Processes of the probe that outlived its sandbox. */
  readonly leftProcesses: number;
}

const bash = "/bin/bash";
const limitMs = 60_000;
const outputMax = 1 << 20;

const engineSockets = [
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
];

const secretFiles = ["/etc/shadow", "/etc/gshadow", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_rsa_key"];

async function readableSecrets(policy: CompiledPolicy): Promise<Seen["systemSecrets"]> {
  const opened = [...policy.paths.allowRead, ...policy.paths.allowWrite];
  const closed = secretFiles.filter((file) => !opened.some((place) => file === place || isBelow(file, place)));
  const read = closed.map(async (file) => ({ file, content: await readFile(file, "latin1").catch(() => "") }));
  return (await Promise.all(read)).filter(({ content }) => content.length > 16);
}

/** What goes in and out of the probe: it is released from its pause once the host has looked. */
function probeIo(look: () => void): { readonly io: RunIo; readonly output: () => string } {
  let output = "";
  const release = Promise.withResolvers<void>();
  const abort = AbortSignal.timeout(limitMs);
  abort.addEventListener("abort", () => release.resolve(), { once: true });
  async function* answer(): AsyncGenerator<Uint8Array> {
    await release.promise;
    yield Buffer.from("go\n");
  }
  const io: RunIo = {
    signal: abort,
    stdin: answer(),
    onStart: () => {},
    onOutput: async ({ channel, bytes }) => {
      if (channel !== "stdout" || output.length > outputMax) return;
      output += Buffer.from(bytes).toString("latin1");
      if (!output.includes(`${pauseLine}\n`)) return;
      look();
      release.resolve();
    },
  };
  return { io, output: () => output };
}

/** A probe is ours, not an agent's: no rule about commands keeps it from being tried, and the record says who wanted it. */
export function forProbes(policy: CompiledPolicy): CompiledPolicy {
  return {
    ...policy,
    limits: { ...policy.limits, wallMs: Math.min(policy.limits.wallMs, limitMs) },
    decide: () => ({ verdict: "allow", ruleId: "prove", reasonCode: "rule", reason: "" }),
  };
}

/** @throws what the ordinary way in throws when a sandbox does not open */
export async function runProbes(parts: ProofParts, ground: ProvingGround): Promise<Seen> {
  if (!existsSync(bash)) throw new GloveboxError("SETUP_NEEDED", "proof.no-bash", { values: { path: bash } });
  await using resources = new AsyncDisposableStack();
  const policy = await parts.policyFor(ground.project);
  const baits = await plantBaits(ground, policy);
  const ears = await openEars(resources);
  const systemSecrets = await readableSecrets(policy);
  const homeNames = await readdir(parts.user.home).catch(() => []); // a home that cannot be listed leaves its claim unproved
  const engines = engineSockets.filter((socket) => existsSync(socket));
  const secret = { name: "GLOVEBOX_PROOF_SECRET", value: makeCanary() };
  const file = path.join(ground.project, "probe.sh");
  const found = { ground, policy, baits, ears, systemSecrets, homeNames, secret, engines };
  await writeFile(file, probeScript(probeSteps(found, { home: parts.user.home, word: makeCanary(), engineSockets }), file));
  const words = [bash, file] as const;
  const daemonWords = [...words, daemonWord];
  const looks: { probe?: ProcessLook | undefined; daemon?: ProcessLook | undefined } = {};
  const oneOf = (argv: readonly string[]): ProcessLook | undefined => processesWith(argv).map(lookAtProcess)[0];
  const { io, output } = probeIo(() => {
    looks.probe ??= oneOf(words);
    looks.daemon ??= oneOf(daemonWords);
  });
  const callerEnvironment = { ...parts.environment, [secret.name]: secret.value };
  const request: RunRequest = { policy: { projectDirectory: ground.project }, argv: words, cwd: ground.project, callerEnvironment };
  const result = await parts.run(forProbes(policy), request, io);
  return {
    ...found,
    answers: parseAnswers(output()),
    output: output(),
    probe: looks.probe,
    daemon: looks.daemon,
    self: lookAtProcess("self"),
    result,
    records: parts.recordsOf(result.task),
    verified: await parts.verify(),
    leftProcesses: processesWith(words).length + processesWith(daemonWords).length,
  };
}
