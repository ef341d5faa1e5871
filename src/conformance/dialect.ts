// How a conformance case says what to run: each boundary has programs of its own, the cases only name what they do.

export type Argv = readonly [string, ...string[]];

export interface Dialect {
  exit(code: number): Argv;
  print(text: string): Argv;
  printError(text: string): Argv;
  /** All 256 byte values, ascending, once. */
  allBytes(): Argv;
  copyInput(): Argv;
  /** `NAME=value` lines. */
  environment(): Argv;
  directory(): Argv;
  /** Exactly so many bytes. */
  emit(bytes: number): Argv;
  /** Runs until it is ended. */
  wait(): Argv;
  /** Prints `ready` and a line end, then runs on through SIGTERM. */
  ignoreTerminate(): Argv;
  /** Two lines: rows and columns, separated by a space. */
  terminalSize(): Argv;
  /** A name that no program has. */
  missing(): Argv;
  /** Starts a process in a session of its own that outlives its parent, prints `ready`, then waits. */
  leaveDaemon(): Argv;
}

const shell = (script: string, ...args: readonly string[]): Argv => ["sh", "-c", script, "sh", ...args];

/** For every boundary that runs Linux programs. */
export const posixDialect: Dialect = {
  exit: (code) => shell('exit "$1"', String(code)),
  print: (text) => ["printf", "%s\\n", text],
  printError: (text) => shell('printf "%s\\n" "$1" >&2', text),
  allBytes: () => shell('i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i+1)); done'),
  copyInput: () => ["cat"],
  environment: () => ["env"],
  directory: () => ["pwd"],
  emit: (bytes) => ["head", "-c", String(bytes), "/dev/zero"],
  wait: () => ["sleep", "1000"],
  ignoreTerminate: () => shell('trap "" TERM; echo ready; while :; do sleep 1000; done'),
  terminalSize: () => ["stty", "size"],
  missing: () => ["glovebox-no-such-program"],
  leaveDaemon: () => shell("setsid sh -c 'sleep 1000' >/dev/null 2>&1 </dev/null & echo ready; sleep 1000"),
};

/** For the memory boundary's scripted programs. */
export const memoryDialect: Dialect = {
  exit: (code) => ["exit", String(code)],
  print: (text) => ["echo", text],
  printError: (text) => ["complain", text],
  allBytes: () => ["bytes"],
  copyInput: () => ["cat"],
  environment: () => ["env"],
  directory: () => ["pwd"],
  emit: (bytes) => ["flood", String(bytes)],
  wait: () => ["sleep"],
  ignoreTerminate: () => ["ignore-term"],
  terminalSize: () => ["stty", "size"],
  missing: () => ["glovebox-no-such-program"],
  leaveDaemon: () => ["ignore-term"],
};
