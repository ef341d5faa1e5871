// `glovebox sandbox cp FROM TO`: a file or a directory out of an open sandbox or into one; SANDBOX:PATH is the place inside.
import path from "node:path";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { sandboxIdSchema } from "../../contracts/ids.ts";
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import { filesOfSandbox, PublicError } from "../../sdk/sdk.ts";
import type { CliCommand, CliContext } from "../command.ts";
import { copyIn } from "../sandbox/copy-in.ts";
import { copyOut } from "../sandbox/copy-out.ts";
import { usageError } from "../usage-error.ts";

const forceOption = { name: "force", about: "cli.sandbox-cp.option.force" } as const;

interface Inside {
  readonly sandbox: string;
  readonly path: string;
}

/** Undefined for a place of the host; `./s-...:x` is one. */
function insideOf(word: string): Inside | undefined {
  const at = word.indexOf(":");
  const sandbox = word.slice(0, Math.max(0, at));
  if (!sandboxIdSchema.safeParse(sandbox).success) return undefined;
  const place = word.slice(at + 1).replace(/(?<=.)\/+$/u, "");
  return { sandbox, path: place === "" ? "." : place };
}

async function copy(context: CliContext, words: readonly [string, string], isForced: boolean) {
  const [from, to] = words.map(insideOf);
  const inside = from ?? to;
  if (inside === undefined || (from !== undefined && to !== undefined)) throw usageError("usage.copy-places");
  await using broker = await (await context.door()).reachRunningBroker();
  const access = await broker.access(inside.sandbox);
  const files = filesOfSandbox({ door: broker.sandboxes, access, callerEnvironment: context.io.env, say: context.text });
  const local = path.resolve(context.cwd, words[from === undefined ? 0 : 1]);
  if (from === undefined) return await copyIn(files, { from: local, to: inside.path }, isForced);
  const { passedOver, ...copied } = await copyOut(files, { from: inside.path, to: local }, isForced);
  return { ...copied, passedOver: passedOver.map((entry) => `${inside.path}/${entry.path}`) };
}

export const sandboxCpCommand: CliCommand = {
  words: ["sandbox", "cp"],
  summary: "cli.sandbox-cp.summary",
  synopsis: "SANDBOX:PATH LOCAL | LOCAL SANDBOX:PATH",
  options: [forceOption],
  arguments: { kind: "operands", minimum: 2, maximum: 2 },
  examples: [
    { line: "glovebox sandbox cp s-0193f0c2a1b2-4d5e6f708192:report.txt report.txt", about: "cli.sandbox-cp.example.out" },
    { line: "glovebox sandbox cp data s-0193f0c2a1b2-4d5e6f708192:/tmp/data", about: "cli.sandbox-cp.example.in" },
  ],
  notes: ["cli.sandbox-cp.note"],
  execute: async (context, { operands: [from = "", to = ""], options }) => {
    const copied = await copy(context, [from, to], options.has(forceOption.name)).catch((error: unknown) => {
      // Its words are made again as for every other command.
      throw error instanceof PublicError && error.cause instanceof GloveboxError ? error.cause : error;
    });
    const { stdout, stderr, text, isJson } = context;
    if (isJson) await stdout.write(printableJson(copied));
    else {
      await stderr.lines(copied.passedOver.map((place) => text({ key: "cli.sandbox-cp.passed-over", values: { path: place } })));
      const values = { count: copied.entries, bytes: showBytes(copied.bytes), from, to };
      await stderr.line(text({ key: "cli.sandbox-cp.copied", values }));
    }
    return 0;
  },
};
