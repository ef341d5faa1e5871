// `glovebox cell run FILE.py`: the cells of a file in a fresh container, with figures and tables handed back as files.
import path from "node:path";
import type { Door } from "../../contracts/door.ts";
import { errorTable } from "../../contracts/error-table.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import type { SandboxOpening } from "../../contracts/sandbox-door.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showDuration } from "../../kit/show-quantity.ts";
import { cellLimitMs } from "../../contracts/cells.ts";
import type { CellEnd } from "../../sdk/sdk.ts";
import { inContainer } from "../cells/choose-template.ts";
import { readCells } from "../cells/read-cells.ts";
import { type RanCells, runCells } from "../cells/run-cells.ts";
import { outputCollector, type ShownOutput, showOutput } from "../cells/show-cell.ts";
import type { CliCommand, CliContext, CommandInput, OptionSpec } from "../command.ts";
import { durationOf } from "../duration-option.ts";
import { closedPipeExit } from "../output.ts";
import { policyOption, presetOption, projectOption, selectPolicyWithFlags } from "../policy-selection.ts";
import { givenInputs, inputOption } from "../run/input-option.ts";
import { createLiveSink } from "../run/output-sink.ts";
import { policyFlags } from "../run/run-overrides.ts";
import { usageError } from "../usage-error.ts";

const ownProgramsOption: OptionSpec = { name: "own-programs", about: "cli.option.own-programs" };
const limitOption: OptionSpec = { name: "cell-limit", value: "TIME", about: "cli.option.cell-limit" };

interface Prepared {
  readonly door: Door;
  readonly opening: SandboxOpening;
  readonly cells: readonly string[];
  readonly limitMs: number;
}

async function prepare(context: CliContext, input: CommandInput): Promise<Prepared> {
  const [file = ""] = input.operands;
  const ownPrograms = input.options.has(ownProgramsOption.name);
  if (ownPrograms && input.options.has("template"))
    throw usageError("usage.options-exclude", { option: "--own-programs", other: "--template" });
  const limitMs = durationOf(input, limitOption.name) ?? cellLimitMs;
  const cells = await readCells(path.resolve(context.cwd, file));
  const selection = await selectPolicyWithFlags(context, input);
  const door = await context.door();
  const policy = await inContainer(door, selection, { ownPrograms });
  return { door, opening: { policy, callerEnvironment: context.io.env, ...givenInputs(context, input) }, cells, limitMs };
}

/** Of a file whose last cell ended so. */
function exitOf({ last }: RanCells): number {
  if (last === undefined || last.status === "interrupted") return 130;
  if (last.status === "ok") return 0;
  return last.code === undefined ? 1 : errorTable[last.code].exit;
}

async function artifactsOf(door: Door, task: string) {
  const commands = await door.artifacts.list(task);
  return commands.flatMap(({ action, artifacts }) =>
    artifacts.map(({ name, bytes, mediaType, sha256 }) => ({ action, name: wellFormedByteText(name), bytes, mediaType, sha256 })),
  );
}

/** Why a cell did not simply end, and what of it is left. */
function endLines({ text }: CliContext, end: CellEnd, cell: number): readonly string[] {
  const { status, cutCharacters, kernel, result } = end;
  const cut = cutCharacters === 0 ? [] : [text({ key: "cli.cell-run.cut", values: { cell, characters: cutCharacters } })];
  const wall = result.limitHits.find(({ limit }) => limit === "wall");
  const at = wall === undefined ? [] : [text({ key: "cli.cell-run.limit", values: { cell, time: showDuration(wall.allowed) } })];
  const notes = wall === undefined && status === "limit" ? result.notes.map((note) => text(note)) : [];
  const gone = kernel === "ended" && status !== "lost" ? [text({ key: "cli.cell-run.kernel-ended", values: { cell } })] : [];
  const stopped = status === "interrupted" ? [text({ key: "cli.cell-run.interrupted", values: { cell } })] : [];
  return [...cut, ...at, ...notes, ...stopped, ...gone];
}

/** @throws CELL_LOST */
function requireFound({ last, ran }: RanCells): void {
  if (last?.status === "lost") throw new GloveboxError("CELL_LOST", "cell.lost", { values: { cell: ran } });
}

async function runForPerson(context: CliContext, { door, opening, cells, limitMs }: Prepared): Promise<number> {
  const { stdout, stderr, text } = context;
  const abort = new AbortController();
  let isPipeClosed = false;
  const onClosed = (): void => {
    isPipeClosed = true;
    abort.abort();
  };
  const sink = createLiveSink({ stdout, stderr, hasPty: false, onClosed });
  await using broker = door.holdBroker();
  const ran = await runCells(context, broker, {
    opening,
    cells,
    limitMs,
    abort,
    onOutput: (output) => showOutput(sink, output),
    onEnd: async (end, cell) => {
      await sink.finish();
      const name = stderr.style("red", "glovebox:");
      await stderr.lines(endLines(context, end, cell).map((line) => `${name} ${line}`));
    },
  });
  await sink.finish();
  const artifacts = await artifactsOf(door, ran.task);
  if (artifacts.length > 0) {
    const values = { task: ran.task, names: artifacts.map(({ name }) => name).join(", ") };
    await stderr.line(stderr.style("dim", text({ key: "cli.cell-run.artifacts", values })));
  }
  requireFound(ran);
  return isPipeClosed ? closedPipeExit : exitOf(ran);
}

interface ToldCell extends Omit<CellEnd, "result"> {
  readonly cell: number;
  readonly action: string;
  readonly durationMs: number;
  readonly limitHits: CellEnd["result"]["limitHits"];
  readonly untrusted: true;
  readonly outputs: readonly ShownOutput[];
  readonly isTruncated: boolean;
}

async function runForProgram(context: CliContext, { door, opening, cells, limitMs }: Prepared): Promise<number> {
  const { limits } = await door.policy(opening.policy);
  const collector = outputCollector(limits.returnedBytes);
  const told: ToldCell[] = [];
  await using broker = door.holdBroker();
  const onEnd = ({ result, ...end }: CellEnd, cell: number): void => {
    const { action, durationMs, limitHits } = result;
    told.push({ cell, ...end, action, durationMs, limitHits, untrusted: true, ...collector.next() });
  };
  const ran = await runCells(context, broker, {
    opening,
    cells,
    limitMs,
    abort: new AbortController(),
    onOutput: (output) => collector.take(output),
    onEnd,
  });
  const exitCode = exitOf(ran);
  const { task, closed } = ran;
  const artifacts = await artifactsOf(door, task);
  await context.stdout.write(printableJson({ format: 1, exitCode, task, cells: told, artifacts, ledger: closed.ledger }));
  return exitCode;
}

export const cellRunCommand: CliCommand = {
  words: ["cell", "run"],
  summary: "cli.cell-run.summary",
  synopsis: "FILE.py",
  options: [
    policyOption,
    presetOption,
    projectOption,
    inputOption,
    limitOption,
    ownProgramsOption,
    ...policyFlags.filter(({ name }) => name !== "boundary"),
  ],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [
    { line: "glovebox cell run analysis.py --input data.csv", about: "cli.cell-run.example.input" },
    { line: "glovebox cell run analysis.py --own-programs --cell-limit 30s", about: "cli.cell-run.example.own" },
  ],
  notes: ["cli.cell-run.note-cells", "cli.cell-run.note-files"],
  execute: async (context, input) => {
    const prepared = await prepare(context, input);
    return context.isJson ? runForProgram(context, prepared) : runForPerson(context, prepared);
  },
};
