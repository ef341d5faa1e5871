// Writes the seeded corpus: whole conversations as the host's encoder makes them, and each frame by itself behind the shortest prologue.
// Run after a change of the protocol: `node test/fuzz/make-corpus.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { commandFrames } from "../../src/guard/command-frames.ts";
import * as frames from "../../src/guard/host-frames.ts";
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

const directory = new URL("corpus/", import.meta.url);
mkdirSync(directory, { recursive: true });
for (const [name, parts] of Object.entries(seeds)) writeFileSync(new URL(`${name}.bin`, directory), Buffer.concat(parts));
