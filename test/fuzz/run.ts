// The fuzz lane: builds the guard's parser with clang's fuzzer and sanitizers, runs it from the seeded corpus for a bounded time, and
// proves the fuzzer by letting it find a planted overflow. `--long` gives it twenty times as long. Ends with `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const output = path.join(root, "build/fuzz");
const corpus = path.join(import.meta.dirname, "corpus");
const gitCorpus = path.join(import.meta.dirname, "corpus-git");
const readCorpus = path.join(import.meta.dirname, "corpus-read");
const maskerCorpus = path.join(import.meta.dirname, "corpus-masker");
const packetCorpus = path.join(import.meta.dirname, "corpus-packet");
const brokerCorpus = path.join(import.meta.dirname, "corpus-broker");
const times = process.argv.includes("--long") ? 20 : 1;
/** How long each goes on; what was planted ends its run as soon as it is found. */
const seconds = {
  clean: 6 * times,
  planted: 25,
  git: 3 * times,
  read: 3 * times,
  masker: 5 * times,
  packet: 3 * times,
  broker: 4 * times,
  egress: 4 * times,
};
const sanitizers = ["-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];
const sources = ["frame", "message", "session", "arguments"].map((name) => path.join(root, `native/protocol/${name}.c`));

interface Outcome {
  readonly status: number | null;
  readonly log: string;
}

function run(file: string, args: readonly string[], timeoutMs: number): Outcome {
  const result = spawnSync(file, args, {
    encoding: "utf8",
    timeout: timeoutMs,
    maxBuffer: 64 << 20,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  if (result.error !== undefined) return { status: null, log: `${file}: ${result.error.message}` };
  return { status: result.status, log: result.stdout + result.stderr };
}

const parserSources = [...["host-bytes.c", "frame-mutator.c"].map((file) => path.join(import.meta.dirname, file)), ...sources];
const gitSources = [path.join(import.meta.dirname, "git-config.c"), path.join(root, "native/guard/git-config.c")];
const readSources = [path.join(import.meta.dirname, "read-rules.c"), path.join(root, "native/shared/glob.c")];
const maskerSources = [path.join(import.meta.dirname, "masker-input.c"), path.join(root, "native/shared/glob.c")];
const brokerSources = [
  ...["broker-bytes.c", "frame-mutator.c"].map((file) => path.join(import.meta.dirname, file)),
  ...["client/hear.c", "client/queue.c", "protocol/frame.c"].map((file) => path.join(root, "native", file)),
];
const packetSources = [path.join(import.meta.dirname, "refused-packet.c"), path.join(root, "native/captive/packet.c")];

function build(name: string, defines: readonly string[], files: readonly string[]): string {
  mkdirSync(output, { recursive: true });
  const binary = path.join(output, name);
  const result = run("clang", [...sanitizers, ...defines, "-std=c17", "-Wall", "-Wextra", "-o", binary, ...files], 60_000);
  if (result.status !== 0) throw new Error(`Cannot build "${name}" (packages clang and libclang-rt-*-dev):\n${result.log}`);
  return binary;
}

async function fuzz(binary: string, limitSeconds: number, seedDirectory: string): Promise<Outcome> {
  const scratch = mkdtempSync(path.join(tmpdir(), "glovebox-fuzz-"));
  const options = [`-max_total_time=${limitSeconds}`, "-max_len=80000", "-rss_limit_mb=1024", "-timeout=5", "-print_final_stats=1"];
  try {
    return run(binary, [...options, `-artifact_prefix=${scratch}/`, scratch, seedDirectory], (limitSeconds + 15) * 1000);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function report(name: string, { log }: Outcome): { executions: number; coverage: number } {
  const executions = Number(/stat::number_of_executed_units:\s+(\d+)/u.exec(log)?.[1] ?? 0);
  const coverage = Math.max(0, ...[...log.matchAll(/cov: (\d+)/gu)].map(([, value]) => Number(value)));
  console.log(`${name}: ${executions} executions, ${coverage} edges covered`);
  return { executions, coverage };
}

interface EgressReport {
  readonly executions: number;
  readonly ways: number;
  readonly blocks: number;
  readonly finding?: unknown;
}

/** The parsers of the gate are TypeScript: they have a fuzzer of their own. */
function fuzzEgress(mode: "clean" | "planted"): EgressReport {
  const { log } = run(
    process.execPath,
    [path.join(import.meta.dirname, "egress-parsers.ts"), mode, String(seconds.egress)],
    (seconds.egress + 60) * 1000,
  );
  console.log(`gate, ${mode}: ${log.trim()}`);
  return JSON.parse(log) as EgressReport;
}

const results: boolean[] = [];
function check(isRight: boolean, name: string, log: string): void {
  results.push(isRight);
  console.log(`${isRight ? "ok" : "not ok"} - ${name}`);
  if (!isRight) console.log(log.split("\n").slice(-40).join("\n"));
}

const seeds = readdirSync(corpus).filter((name) => name.endsWith(".bin")).length;
check(seeds >= 10, `the corpus has ${seeds} seeds`, "");

try {
  const clean = await fuzz(build("host-bytes", [], parserSources), seconds.clean, corpus);
  const { executions, coverage } = report("parser", clean);
  check(clean.status === 0, "the parser survives", clean.log);
  check(executions > 10_000 && coverage > 100, "the fuzzer worked: executions and coverage", clean.log);
  const git = await fuzz(build("git-config", [], gitSources), seconds.git, gitCorpus);
  const gitReport = report("git configuration", git);
  check(git.status === 0, "the comparison of git configurations survives", git.log);
  check(gitReport.executions > 10_000 && gitReport.coverage > 100, "the fuzzer worked on it: executions and coverage", git.log);
  const reading = await fuzz(build("read-rules", [], readSources), seconds.read, readCorpus);
  const readReport = report("rules about reading", reading);
  check(reading.status === 0, "the rules about reading survive, and say the same of a path and what lies below it", reading.log);
  check(readReport.executions > 10_000 && readReport.coverage > 50, "the fuzzer worked on them: executions and coverage", reading.log);
  const masking = await fuzz(build("masker-input", [], maskerSources), seconds.masker, maskerCorpus);
  const maskReport = report("what the masker is told and reads", masking);
  check(masking.status === 0, "the masker's frames and rules survive", masking.log);
  check(maskReport.executions > 2_000 && maskReport.coverage > 100, "the fuzzer worked on them too: executions and coverage", masking.log);
  const refused = await fuzz(build("refused-packet", [], packetSources), seconds.packet, packetCorpus);
  const refusedReport = report("refused packets", refused);
  check(refused.status === 0, "what is read of a refused packet survives, and holds nothing but an address and ports", refused.log);
  check(refusedReport.executions > 10_000 && refusedReport.coverage > 10, "the fuzzer worked on them: executions and edges", refused.log);
  const broker = await fuzz(build("broker-bytes", [], brokerSources), seconds.broker, brokerCorpus);
  const brokerReport = report("what a broker says to the thin client", broker);
  check(broker.status === 0, "the thin client survives what a broker says, and keeps its accounts", broker.log);
  check(brokerReport.executions > 5_000 && brokerReport.coverage > 60, "the fuzzer worked on it too: executions and edges", broker.log);
  const egress = fuzzEgress("clean");
  check(egress.finding === undefined, "the gate's parsers survive", JSON.stringify(egress.finding));
  check(
    egress.executions > 5_000 && egress.ways > 20 && egress.blocks > 60,
    "the fuzzer worked on them: executions, ways and coverage",
    "",
  );
  check(fuzzEgress("planted").finding !== undefined, "the planted trust in a length is found", "");
  const planted = await fuzz(build("host-bytes-planted", ["-DGLOVEBOX_PLANTED_OVERFLOW"], parserSources), seconds.planted, corpus);
  report("planted", planted);
  check(planted.status !== 0 && /AddressSanitizer: \S*overflow/u.test(planted.log), "the planted overflow is found", planted.log);
} catch (error) {
  check(false, error instanceof Error ? error.message : String(error), "");
}

const failed = results.filter((isRight) => !isRight).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
