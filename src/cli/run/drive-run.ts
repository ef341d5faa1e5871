// One run from the door's side: streams, terminal and signals are joined to the command, and given back on every way out.
import type { AskPerson } from "../../contracts/approval.ts";
import type { RunIo } from "../../contracts/door.ts";
import { digestSchema } from "../../contracts/ids.ts";
import { sha256Digest } from "../../kit/digest.ts";
import { Happening } from "../../kit/happening.ts";
import { sayAsked } from "../approve/ask-elsewhere.ts";
import type { CliContext } from "../command.ts";
import { watchEndKey } from "./end-key.ts";
import type { OutputSink } from "./output-sink.ts";
import { PromptTurn } from "./prompt-turn.ts";
import { lendTerminal } from "./raw-terminal.ts";
import { relaySignals } from "./relay-signals.ts";
import { openStdinBytes, type StdinBytes } from "./stdin-bytes.ts";

export interface Asking {
  readonly ask: AskPerson;
  /** At this terminal, which the command does not have meanwhile. */
  readonly isHere: boolean;
}

export interface DriveOptions<Result> {
  /** Runs the command. */
  readonly perform: (io: RunIo) => Promise<Result>;
  /** It has a terminal of its own inside. */
  readonly hasPty: boolean;
  readonly sink: OutputSink;
  /** How a person is asked; absent: nobody is, unless whoever runs the command asks. */
  readonly ask?: Asking | undefined;
  /** Ends the run when aborted. */
  readonly abort: AbortController;
}

type Chosen = Pick<DriveOptions<unknown>, "hasPty" | "abort" | "ask">;

/** The keyboard belongs to the foreground: reading it from the background would stop us (SIGTTIN), so there stdin is empty. */
function chooseStdin(context: CliContext): StdinBytes | undefined {
  if (context.io.isInputNull()) return undefined;
  return context.io.stdin.isTTY === true && context.io.isInBackground() ? undefined : openStdinBytes(context.io.stdin);
}

function chunksOf(context: CliContext, stdin: StdinBytes, { hasPty, abort }: Chosen): AsyncIterable<Uint8Array> {
  if (!hasPty || context.io.stdin.isTTY !== true) return stdin.chunks;
  return watchEndKey(stdin.chunks, { onEnd: () => abort.abort() });
}

/** With a person to ask, a whole input is read first, so that the answer covers it. */
function inputFor(context: CliContext, stdin: StdinBytes | undefined, options: Chosen): Pick<RunIo, "stdin" | "stdinDigest"> {
  const whole = options.ask === undefined ? undefined : context.io.readWholeInput();
  if (whole !== undefined) return { stdin: once(whole), stdinDigest: digestSchema.parse(sha256Digest(whole)) };
  return stdin === undefined ? {} : { stdin: chunksOf(context, stdin, options) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function whenAborted(signal: AbortSignal): Happening {
  const aborted = new Happening();
  if (signal.aborted) aborted.happen();
  else signal.addEventListener("abort", aborted.happen, { once: true });
  return aborted;
}

/** What is typed while a question stands is for the question alone. */
async function holdKeyboard({ io }: CliContext, stdin: StdinBytes | undefined): Promise<() => void> {
  return stdin !== undefined && io.stdin.isTTY === true ? stdin.hold() : () => {};
}

function askIo(asking: Asking | undefined, atTerminal: (ask: AskPerson) => AskPerson): Pick<RunIo, "ask"> {
  if (asking === undefined) return {};
  return { ask: asking.isHere ? atTerminal(asking.ask) : asking.ask };
}

/** @throws whatever `perform` throws */
export async function driveRun<Result>(context: CliContext, options: DriveOptions<Result>): Promise<Result> {
  const { sink, abort } = options;
  await using releases = new AsyncDisposableStack();
  const signals = relaySignals(context.io.events, () => abort.abort());
  releases.defer(() => signals.release());
  const stdin = chooseStdin(context);
  if (stdin !== undefined) releases.defer(() => stdin.release());
  const turn = new PromptTurn();
  releases.defer(() => turn.idle());
  const ended = whenAborted(abort.signal);
  let failure: unknown;
  const result = await options.perform({
    signal: abort.signal,
    ...inputFor(context, stdin, options),
    ...askIo(options.ask, (ask) => turn.asking(ask, () => holdKeyboard(context, stdin))),
    onAsked: (approval) => void sayAsked(context, approval),
    onOutput: async (chunk) => {
      if (abort.signal.aborted) return;
      const taken = turn
        .pass(() => sink.take(chunk))
        .catch((error: unknown) => {
          // Our own output is broken (a full disk): the command must not go on unseen, and the run still ends in order.
          failure = error;
          abort.abort();
        });
      // A reader that has stopped reading must not hold up the end that somebody asked for.
      await ended.orDone(taken);
    },
    onStart: (control) => {
      signals.attach((name) => control.signal(name));
      if (!options.hasPty) return;
      releases.defer(lendTerminal(context.io));
      releases.defer(context.stdout.onResize(() => control.resize(context.stdout.size)));
    },
  });
  await turn.idle();
  await sink.finish();
  if (failure !== undefined) throw failure instanceof Error ? failure : new Error("Cannot write the output");
  return result;
}
