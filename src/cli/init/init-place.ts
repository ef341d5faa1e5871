// Which settings file `glovebox init` is about, and by which words the agent finds our program there.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { quoteArgument } from "../../kit/escape-text.ts";
import { holdsDirectory } from "../../kit/holds-directory.ts";
import type { CliContext, CommandInput } from "../command.ts";
import { projectDirectoryOf } from "../policy-selection.ts";
import { usageError } from "../usage-error.ts";
import type { InitAgent } from "./init-agents.ts";

export interface InitPlace {
  /** Nothing outside of it is touched. */
  readonly base: string;
  /** Below the base. */
  readonly relative: string;
  /** Our program as a word of a shell. */
  readonly program: string;
  readonly isOfUser: boolean;
}

/** By this a project's file finds us on every machine. Not by PATH: programs of the project itself may stand in it. INVARIANT I-15 */
const linkFromHome = ".local/bin/glovebox";

/** Undefined: the link is there and leads here; otherwise the command that makes it. */
export async function missingLink({ home, launcher }: CliContext): Promise<string | undefined> {
  const link = path.join(home, linkFromHome);
  const [linked, own] = await Promise.all([link, launcher].map((place) => realpath(place).catch(() => undefined)));
  if (linked !== undefined && linked === own) return undefined;
  return `mkdir -p ~/${path.dirname(linkFromHome)} && ln -sf ${quoteArgument(launcher)} ~/${linkFromHome}`;
}

async function userDirectory({ io, home }: CliContext, agent: InitAgent): Promise<string> {
  const { directoryVariable: variable, directory } = agent;
  const moved = variable === undefined ? undefined : io.env[variable];
  if (variable === undefined || moved === undefined || moved === "") return directory;
  const real = await realpath(home).catch(() => home);
  const place = path.normalize(moved);
  for (const base of [home, real]) if (holdsDirectory(base, place) && place !== base) return path.relative(base, place);
  throw usageError("usage.init-moved", { variable, directory: moved });
}

/** @throws USAGE_INVALID for a project that is none, and where the agent's directory was moved out of the home directory */
export async function initPlace(context: CliContext, input: CommandInput, agent: InitAgent): Promise<InitPlace> {
  const isOfUser = input.options.has("user");
  if (!isOfUser) {
    const base = await projectDirectoryOf(context, input);
    return { base, relative: `${agent.directory}/${agent.file}`, program: `"$HOME"/${linkFromHome}`, isOfUser };
  }
  if (input.options.text("project") !== undefined) throw usageError("usage.init-both");
  const relative = `${await userDirectory(context, agent)}/${agent.file}`;
  return { base: context.home, relative, program: quoteArgument(context.launcher), isOfUser };
}
