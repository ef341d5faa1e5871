// The library: `import { Glovebox } from "glovebox"`. Joins the room of the library to this machine. Nothing is opened or started until it is
// asked for something.
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { composeDoor } from "./compose.ts";
import { GloveboxError } from "./contracts/glovebox-error.ts";
import { decodeByteText } from "./kit/byte-text.ts";
import { escapeText } from "./kit/escape-text.ts";
import { forwardConnections } from "./kit/forward-connections.ts";
import { holdsDirectory } from "./kit/holds-directory.ts";
import { hostUser } from "./kit/host-user.ts";
import { rawEnvironment } from "./kit/raw-process.ts";
import { GloveboxClient, type GloveboxParts } from "./sdk/sdk.ts";
import { chooseLanguage, createTexts, type Language } from "./texts/texts.ts";

export type { ArtifactCheck, ArtifactSummary, LeftBehind, NotHandedBack } from "./contracts/artifacts.ts";
export type { OutputChunk, SignalName } from "./contracts/boundary.ts";
export type { CellOutput } from "./contracts/cells.ts";
export type { RunOutcome } from "./contracts/door.ts";
export type { ErrorCode } from "./contracts/error-table.ts";
export type { PortConnection, SandboxAccess, SandboxLine, SandboxLog } from "./contracts/sandbox-door.ts";
export type {
  Argv,
  ArtifactContent,
  ArtifactFile,
  CapturedOutput,
  CellOptions,
  CellResult,
  CommandFiles,
  CommandOptions,
  CommandResult,
  Entry,
  ExecOptions,
  FilePart,
  InputBytes,
  Listing,
  OnceResult,
  OpenOptions,
  PolicyOptions,
  PortForwarding,
  PublicProblem,
  ReadOptions,
  RunningCommand,
  RunOptions,
  SandboxCells,
  SandboxClosed,
  SandboxFiles,
  TaskArtifacts,
  TerminalSize,
  ToldLine,
  ToldResult,
  ToldSheet,
  TreeEntry,
} from "./sdk/sdk.ts";
export { OpenSandbox, PublicError as GloveboxError } from "./sdk/sdk.ts";

export interface GloveboxOptions {
  /**
   * Who holds sandboxes that stay open. `attach` (when absent): the broker process of this user, which is started when none runs and outlives this
   * process. `hold`: this process itself, and they end with it.
   */
  readonly broker?: "attach" | "hold";
  /** The directory in which the state lies, as `<stateHome>/glovebox`. Absolute. Absent: where the command line has it. Another state has another broker. */
  readonly stateHome?: string;
  /** Of sheets and errors. Absent: by LC_ALL, LC_MESSAGES or LANG. */
  readonly language?: Language;
}

/** Absolute and without links. */
async function projectAt(directory: string): Promise<string> {
  const refuse = (situation: string): GloveboxError => new GloveboxError("USAGE_INVALID", situation, { values: { directory } });
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw refuse("library.project-missing");
  const real = decodeByteText(await realpath(directory, "buffer"));
  if (!real.isWellFormed()) throw refuse("library.project-not-utf8");
  if (holdsDirectory(real, hostUser().home)) throw refuse("library.project-too-wide");
  return real;
}

/** A state of its own brings a place of its own for its sockets. */
function environmentOf({ stateHome }: GloveboxOptions): GloveboxParts["environment"] {
  const { XDG_RUNTIME_DIR, ...others } = rawEnvironment(process.env);
  return stateHome === undefined ? { XDG_RUNTIME_DIR, ...others } : { ...others, XDG_STATE_HOME: stateHome };
}

function partsFor(options: GloveboxOptions): GloveboxParts {
  const environment = environmentOf(options);
  const isHolding = options.broker === "hold";
  const door = composeDoor({ environment, installation: path.dirname(import.meta.dirname) });
  return {
    door,
    environment,
    isHolding,
    reach: async () => (isHolding ? door.holdBroker() : door.reachBroker()),
    say: createTexts(chooseLanguage(options.language, environment), escapeText),
    projectAt,
    fileAt: (file) => path.resolve(file),
    forward: forwardConnections,
    close: () => door.close(),
  };
}

/** Use it with `await using`, or call `close()`: an open connection to the broker keeps the process alive. */
export class Glovebox extends GloveboxClient {
  constructor(options: GloveboxOptions = {}) {
    super(partsFor(options));
  }
}
