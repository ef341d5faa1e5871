// Where the broker for other processes listens, and how it is started.
import path from "node:path";
import { surelyEnding } from "../kit/node-options.ts";
import type { BrokerPlace } from "./reach-broker.ts";

export interface BrokerHome {
  /** The directory that holds src/ and build/. */
  readonly installation: string;
  /** A file of the running program: the broker is started in the same form, from sources, bundle or compiled. */
  readonly runningFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly socketPath: string;
  /** Of the broker's keys. */
  readonly directory: string;
}

/** What it takes to find the same state and the same programs; nothing else of the caller's goes along. */
const keptVariables = ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "PATH", "LANG"];

/** Its heap stays near what it holds: with a hundred sandboxes it would grow to three times that, and is no faster for it. */
const brokerOptions = ["--optimize-for-size", ...surelyEnding];

export function brokerPlace({ installation, runningFile, environment, socketPath, directory }: BrokerHome): BrokerPlace {
  const kept = keptVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const ending = path.extname(runningFile);
  const entries: Readonly<Record<string, string>> = {
    ".cjs": path.join(installation, "scripts/setup/start-bundle.cjs"),
    ".ts": path.join(installation, "src/main.ts"),
  };
  const entry = entries[ending] ?? path.join(path.dirname(runningFile), `main${ending}`);
  return {
    socketPath,
    directory,
    program: [process.execPath, ...brokerOptions, entry, "broker"],
    environment: Object.fromEntries(kept),
  };
}
