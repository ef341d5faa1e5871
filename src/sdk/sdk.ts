// The library's room: Glovebox for programs, over whatever way in it is handed. src/lib.ts joins it to this machine.
export type { CapturedChannels, CapturedOutput } from "./captured-output.ts";
export { type CellEnd, type CellStatus, Kernels } from "./cells/kernels.ts";
export { type CellOptions, type CellResult, SandboxCells } from "./cells/sandbox-cells.ts";
export type { CallOptions, InputBytes, TerminalSize } from "./command-call.ts";
export type { Entry } from "./directory-entries.ts";
export {
  GloveboxClient,
  type GloveboxParts,
  type OnceResult,
  type OpenOptions,
  type PolicyOptions,
  type RunOptions,
} from "./glovebox-client.ts";
export {
  type Argv,
  type CommandOptions,
  type CommandResult,
  type ExecOptions,
  OpenSandbox,
  type PortForwarding,
  type SandboxClosed,
} from "./open-sandbox.ts";
export { PublicError, type PublicProblem, type Say } from "./public-error.ts";
export { RunningCommand } from "./running-command.ts";
export { filesOfSandbox } from "./files-of-sandbox.ts";
export type { FilePart, Listing, ReadOptions, SandboxFiles } from "./sandbox-files.ts";
export { type ArtifactContent, type ArtifactFile, type CommandFiles, TaskArtifacts } from "./task-artifacts.ts";
export type { TreeEntry } from "./tree-entries.ts";
export type { ToldResult } from "./told-result.ts";
export type { ToldLine, ToldSheet } from "./told-sheet.ts";
