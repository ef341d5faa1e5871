// A usage error of `run` goes into the result file too: what an earlier call left there must not pass for this one.
import path from "node:path";
import type { CliContext, OptionSpec } from "../command.ts";
import { failureJson, type Failure } from "../render/failure.ts";
import { openResultFile } from "./result-file.ts";
import { refusalDocument } from "./run-documents.ts";

const flag = "--result-file";

/** Where our own words end: at the separator, else at the first word that is no option, which begins somebody's command. */
function ownWords(argv: readonly string[], options: readonly OptionSpec[]): readonly string[] {
  const begin = argv.indexOf("run") + 1;
  const separator = argv.indexOf("--", begin);
  if (begin === 0) return [];
  if (separator !== -1) return argv.slice(begin, separator);
  for (let index = begin; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (!word.startsWith("-")) return argv.slice(begin, index);
    if (options.some(({ name, value }) => value !== undefined && word === `--${name}`)) index += 1;
  }
  return argv.slice(begin);
}

/** The value of `--result-file` in a line that may hold any mistake; undefined when there is none, or more than one. */
export function earlyResultFile(argv: readonly string[], options: readonly OptionSpec[]): string | undefined {
  const words = ownWords(argv, options);
  const values = words.flatMap((word, index) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    return word === flag ? [words[index + 1] ?? ""] : [];
  });
  const [value = ""] = values;
  return values.length === 1 && value !== "" && !value.startsWith("-") ? value : undefined;
}

/** Never throws: the usage error itself is what must be heard. */
export async function writeUsageRefusal(
  context: CliContext,
  argv: readonly string[],
  about: { readonly failure: Failure; readonly options: readonly OptionSpec[] },
): Promise<void> {
  const { failure, options } = about;
  const asked = earlyResultFile(argv, options);
  if (asked === undefined || failure.error.code !== "USAGE_INVALID") return;
  try {
    const file = await openResultFile(path.resolve(context.cwd, asked));
    await file.write(refusalDocument(failureJson(failure, context.text), failure.error.row.exit));
    await file.close();
  } catch {
    // A place that cannot be written is the next thing to repair, after the line itself.
  }
}
