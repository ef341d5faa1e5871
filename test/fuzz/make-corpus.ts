// Writes the seeded corpus: whole conversations as the host's encoder makes them, and each frame by itself behind the shortest prologue.
// Run after a change of the protocol: `node test/fuzz/make-corpus.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { commandFrames } from "../../src/guard/command-frames.ts";
import * as frames from "../../src/guard/host-frames.ts";
import { version } from "../../src/contracts/version.ts";
import * as door from "../../src/door/door-frames.ts";
import { frameTypes } from "../../src/door/protocol.ts";
import { rightsFor } from "../../src/guard/landlock-rights.ts";

const hello = frames.helloFrame(1);
const rule = frames.ruleFrame({ path: "/usr", rights: rightsFor.read });
const seal = frames.sealFrame();
const command = commandFrames(1, { argv: ["sh", "-c", "echo hi"], cwd: "/tmp", environment: { PATH: "/usr/bin", LANG: "C" } });
const limited = commandFrames(
  2,
  { argv: ["cat"], cwd: "/", environment: {}, pty: { rows: 24, columns: 80 } },
  { limits: [{ resource: 7, value: 1024n }], umask: 0o077 },
);
const setup = [hello, rule, seal];
const stdin = [frames.stdinFrame(1, Buffer.from("input\n")), frames.stdinEndFrame(1)];
const control = [
  frames.signalFrame(1, 15),
  frames.signalFrame(0, 15),
  frames.creditFrame(1, "stdout", 1),
  frames.resizeFrame(2, { rows: 40, columns: 132 }),
  frames.killTreeFrame(1),
];

const home = ["home", "somebody"].map((text) => ({ kind: "literal", text }) as const);
const reading: frames.GuardMediation = {
  writeRoots: [],
  listedNames: [],
  listedPaths: [],
  reading: {
    rules: [
      { effect: "denyLiteral", segments: [...home, { kind: "literal", text: "vault" }] },
      { effect: "denyGlob", segments: [...home, { kind: "any", text: "" }, { kind: "glob", text: "*.[pP]em" }] },
      { effect: "allowLiteral", segments: [...home, { kind: "literal", text: "vault" }, { kind: "literal", text: "open" }] },
    ],
    exempt: ["/home/somebody/own.pem"],
  },
};

const seeds: Readonly<Record<string, readonly Buffer[]>> = {
  hello: [hello],
  rules: [hello, rule, frames.ruleFrame({ path: "/opt", rights: rightsFor.write, optional: true, domain: "command" }), seal],
  mediation: [
    hello,
    frames.writeRootFrame("/home/somebody/project"),
    frames.listedNameFrame(".envrc"),
    frames.listedNameFrame(".config/fish"),
    frames.listedPathFrame("/home/somebody/project/locked"),
    frames.touchLogFrame({ descriptor: 9, fileBytesMax: 1 << 24, keptBytesMax: 1 << 28 }),
    frames.sharedLockFrame(10),
    ...frames.readingFrames(reading),
    seal,
    ...command,
  ],
  "long-rule": [
    hello,
    frames.ruleFrame({ path: `/${"p".repeat(4000)}`, rights: rightsFor.list }),
    seal,
    ...commandFrames(1, {
      argv: ["x".repeat(9000)],
      cwd: "/",
      environment: {},
    }),
  ],
  command: [...setup, ...command],
  stdin: [...setup, ...command, ...stdin],
  terminal: [...setup, ...command, ...limited, ...control],
  late: [...setup, ...command, frames.killTreeFrame(1), ...stdin],
  "two-parts": [...setup, ...frames.argumentFrames(3, Buffer.alloc(70_000, "a\0")), ...stdin],
  "wrong-order": [seal, hello],
  "half-frame": [Buffer.concat(setup).subarray(0, 50)],
};

const result = {
  task: "t-0193f0c2a1b2-4d5e6f708192",
  action: "a-0193f0c2a1b2-4d5e6f708192",
  exitCode: 3,
  outcome: "failed",
  child: { kind: "exited", value: 3 },
  limitHits: [],
  notes: [],
  stdoutBytes: 3,
  stderrBytes: 0,
  durationMs: 5,
  ledger: { firstSeq: 1, lastSeq: 3 },
  isLeftRunning: false,
} as const;
const greeting = door.helloFrame(version);
const started = door.emptyFrame(frameTypes.started, 1);
const output = [
  door.dataFrame(frameTypes.stdout, 1, Buffer.from("out\n")),
  door.dataFrame(frameTypes.stderr, 1, Buffer.alloc(65_536, "e")),
];
const refused = door.refusedFrame(1, 120, ["POLICY_DENIED", "Cannot run it", "Change the policy"]);

/** What a broker says to the thin client. */
const brokerSeeds: Readonly<Record<string, readonly Buffer[]>> = {
  greeting: [greeting],
  stranger: [door.helloFrame("0.0.0")],
  command: [greeting, started, ...output, ...door.partFrames(1, Buffer.from("{}")), door.resultFrame(1, result, [])],
  noted: [greeting, started, door.resultFrame(1, result, ["It was ended", "It used up a limit"])],
  refused: [greeting, ...door.partFrames(1, Buffer.from("{}")), refused],
  asked: [greeting, door.askedFrame(1, "q-0193f0c2a1b2-4d5e6f708192"), started, door.creditFrame(1, "stdin", 1), refused],
  flood: [greeting, started, ...Array.from({ length: 5 }, () => output).flat()],
};

function write(name: string, known: Readonly<Record<string, readonly Buffer[]>>): void {
  const directory = new URL(`${name}/`, import.meta.url);
  mkdirSync(directory, { recursive: true });
  for (const [seed, parts] of Object.entries(known)) writeFileSync(new URL(`${seed}.bin`, directory), Buffer.concat(parts));
}

write("corpus", seeds);
write("corpus-broker", brokerSeeds);
