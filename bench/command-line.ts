// Whole processes: `glovebox run -- true` beside Node's own start and beside `srt -c true` (the development dependency @anthropic-ai/sandbox-runtime).
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { capture } from "../src/kit/spawn.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";

const installation = path.join(import.meta.dirname, "..");
const srt = path.join(installation, "node_modules/.bin/srt");

async function program(
  name: string,
  words: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Alternative> {
  const [file, ...args] = words;
  return {
    name,
    run: async () => {
      const { code, stderr } = await capture(file, args, { environment, timeoutMs: 30_000 });
      if (code !== 0) throw new Error(`Cannot measure "${words.join(" ")}": exit code ${code}: ${stderr}`);
      return undefined;
    },
  };
}

export async function benchCommandLine(rounds = 15): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  const project = path.join(base, "project");
  await mkdir(project);
  const environment = {
    PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    XDG_STATE_HOME: base,
    HOME: base,
    TMPDIR: base,
  };
  const glovebox = path.join(installation, "glovebox");
  const gloveboxRun = [glovebox, "run", "--quiet", "--project", project, "--cwd", project, "--", "true"] as const;
  try {
    const version = await capture(srt, ["--version"], { environment });
    console.log(`\nsrt ${version.stdout.trim()}, its default policy, no settings file: $ srt -c true`);
    console.log(`glovebox, its default policy: $ glovebox ${gloveboxRun.slice(1).join(" ")}`);
    const alternatives = [
      await program("node -e 0", [process.execPath, "-e", "0"], environment),
      await program("glovebox --version", [glovebox, "--version"], environment),
      await program("glovebox run -- true", gloveboxRun, environment),
      await program("srt -c true", [srt, "-c", "true"], environment),
    ];
    printTimings(`whole processes (${rounds} rounds in turn)`, await measureInTurn(alternatives, rounds));
  } finally {
    await rm(base, { recursive: true });
  }
}
