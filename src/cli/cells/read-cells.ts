// A file of Python as its cells: what lies between lines that begin with `# %%`, as editors write them.
import { open } from "node:fs/promises";
import { systemErrorCode } from "../../contracts/glovebox-error.ts";
import { usageError } from "../usage-error.ts";

const longestFile = 4 << 20;
const separator = /^# ?%%/u;

/** Empty ones are left out. */
export function splitCells(text: string): readonly string[] {
  const cells: string[][] = [[]];
  for (const line of text.split(/\r?\n/u)) {
    if (separator.test(line)) cells.push([]);
    else cells.at(-1)?.push(line);
  }
  return cells.map((lines) => lines.join("\n")).filter((cell) => cell.trim() !== "");
}

async function readText(file: string): Promise<string> {
  await using handle = await open(file);
  const found = await handle.stat();
  if (!found.isFile() || found.size > longestFile) throw usageError("cell.file-unusable", { file, maximum: longestFile });
  return new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
}

/** @param file absolute @throws USAGE_INVALID */
export async function readCells(file: string): Promise<readonly string[]> {
  const text = await readText(file).catch((error: unknown) => {
    const errno = systemErrorCode(error);
    if (errno !== undefined) throw usageError("cell.file-unreadable", { file, errno });
    if (error instanceof TypeError) throw usageError("cell.file-unusable", { file, maximum: longestFile });
    throw error;
  });
  const cells = splitCells(text);
  if (cells.length === 0) throw usageError("cell.file-empty", { file });
  return cells;
}
