// After the sandbox: what lies at a protected name and was not there before is moved out of the write root. Prevention is the promise; each
// thing found here is a defect of ours, and is counted as one. INVARIANT I-04
import { closeSync, constants, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "../contracts/glovebox-error.ts";
import { contentMax, type TouchedState, type Touches } from "../guard/guard.ts";
import { below } from "../kit/below.ts";
import { removeDirectory } from "../kit/remove-tree.ts";
import { addsExecution, isGitConfig, isGitHook, isListed } from "./planted-names.ts";
import type { RootTree } from "./root-tree.ts";

const textBytesMax = 64 * 1024;

interface Suspect {
  readonly path: string;
  readonly tree: RootTree;
  readonly before: TouchedState | undefined;
}

function textNow({ tree, path: file }: Suspect): string {
  const parts: Buffer[] = [];
  return tree.read(file, textBytesMax, (bytes) => parts.push(Buffer.from(bytes))) ? Buffer.concat(parts).toString("utf8") : "";
}

function textBefore({ before }: Suspect, touches: Touches): string {
  const content = before === undefined ? undefined : touches.records.contents.get(before.identity);
  return content === undefined || content.kept !== "kept" || content.length > textBytesMax
    ? ""
    : touches.read(content.offset, content.length).toString("utf8");
}

function isNew({ path: file, tree, before }: Suspect, touches: Touches): boolean {
  const now = tree.lookUnlessClosed(file);
  if (now === undefined || now === "closed") return false; // nobody can use what lies in a closed directory; the list counts it as missed
  if (before === undefined || now.ino.toString() !== before.inode) return true;
  // The same file: only what was written to has a content from before.
  return touches.records.contents.has(before.identity) && now.ctimeNs.toString() !== before.changedNs;
}

function isPlanted(suspect: Suspect, touches: Touches, listed: ReadonlySet<string>): boolean {
  const { path: file, tree } = suspect;
  const isNamed = isListed(file, tree.path, listed) || isGitHook(file, tree.path);
  if (!isNamed && !isGitConfig(file, tree.path)) return false;
  if (!isNew(suspect, touches)) return false;
  return isNamed || addsExecution(textBefore(suspect, touches), textNow(suspect));
}

function copyOut({ tree, path: file }: Suspect, target: string): void {
  const link = tree.linkTarget(file);
  if (link !== undefined) {
    writeFileSync(`${target}.link`, link, { flag: "wx", mode: 0o600 });
    return;
  }
  const out = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    tree.read(file, contentMax.fileBytes, (bytes) => void writeSync(out, bytes));
  } finally {
    closeSync(out);
  }
}

function moveOut(suspect: Suspect, target: string): void {
  const { tree, path: file } = suspect;
  const place = tree.parentOf(file);
  if (place === undefined) return;
  const name = below(place.directory, place.name);
  if (tree.look(file)?.isDirectory() === true) {
    // What lies in it and was touched has gone before; what was there already stays.
    try {
      removeDirectory(name);
    } catch (error) {
      if (systemErrorCode(error) !== "ENOTEMPTY") throw error;
    }
    return;
  }
  try {
    renameSync(name, target);
  } catch (error) {
    if (systemErrorCode(error) !== "EXDEV") throw error;
    copyOut(suspect, target);
    unlinkSync(name);
  }
}

/**
 * Moves what was planted to `directory`, a directory of the task's own that is made when there is something.
 * @returns the paths, as they were
 */
export function quarantinePlanted(touches: Touches, trees: readonly RootTree[], directory: string): readonly string[] {
  const listed = new Set(touches.names.map((name) => name.toLowerCase()));
  const suspects = [...touches.records.before].flatMap(([file, before]): readonly Suspect[] => {
    const tree = trees.find((candidate) => candidate.holds(file));
    return tree === undefined ? [] : [{ path: file, tree, before }];
  });
  const planted = suspects
    .filter((suspect) => isPlanted(suspect, touches, listed))
    .toSorted((left, right) => (left.path < right.path ? 1 : -1));
  if (planted.length > 0) mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [index, suspect] of planted.entries()) moveOut(suspect, path.join(directory, String(index)));
  for (const tree of trees) tree.forget();
  return planted.map(({ path: file }) => file).toSorted();
}
