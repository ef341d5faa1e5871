// Command lines of srt and what they mean, as data: held against our reader beside it; test/peers asks the real srt about the harder ones.

export interface SrtLine {
  readonly argv: readonly string[];
  /** What `-c` says; the words of the command then do not count. */
  readonly script?: string;
  readonly command?: readonly string[];
  readonly settings?: string;
  readonly isDebug?: boolean;
}

export const srtLines: readonly SrtLine[] = [
  { argv: ["echo", "a b", ""], command: ["echo", "a b", ""] },
  { argv: ["--", "echo", "-d", "-c", "x"], command: ["echo", "-d", "-c", "x"] },
  { argv: ["echo", "-n", "--", "x"], command: ["echo", "-n", "--", "x"] },
  { argv: ["echo", "--", "x"], command: ["echo", "x"] },
  { argv: ["echo", "-x", "--odd=1", "y"], command: ["echo", "-x", "--odd=1", "y"] },
  { argv: ["echo", "-"], command: ["echo", "-"] },
  { argv: ["-c", "echo one; echo two"], script: "echo one; echo two", command: [] },
  { argv: ["-cecho joined"], script: "echo joined", command: [] },
  { argv: ["echo", "-c", "echo inner"], script: "echo inner" },
  { argv: ["-c", "echo first", "-c", "echo last"], script: "echo last" },
  { argv: ["-c", "", "echo", "words"], command: ["echo", "words"] },
  { argv: ["-s", "FILE", "echo", "x"], settings: "FILE", command: ["echo", "x"] },
  { argv: ["-sFILE", "echo", "x"], settings: "FILE", command: ["echo", "x"] },
  { argv: ["--settings=FILE", "echo", "x"], settings: "FILE", command: ["echo", "x"] },
  { argv: ["echo", "x", "--settings", "FILE"], settings: "FILE", command: ["echo", "x"] },
  { argv: ["-dc", "echo both"], script: "echo both", isDebug: true },
  { argv: ["echo", "--debug", "x"], command: ["echo", "x"], isDebug: true },
];
