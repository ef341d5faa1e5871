// The files that a command line names: found, opened, and hashed by their descriptors, so that what is hashed is what was opened.
// Hostile names are expected: nothing here blocks on a fifo, touches a device, or reads without a bound.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, open, readlink, stat } from "node:fs/promises";
import path from "node:path";
import type { BoundFile, NotBound } from "../contracts/approval.ts";
import { digestSchema } from "../contracts/ids.ts";

/** open(2): names a place without opening what is there. Node has no constant for it. */
const oPath = 0o10000000;
const maximumFileBytes = 256 * 2 ** 20;
const maximumOperands = 16;
const chunkBytes = 2 ** 20;

export interface ExamineRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The PATH that the program is looked up in. */
  readonly searchPath: string;
}

export interface Examined {
  /** The place at which the program was found, as it was named: links not resolved. Undefined when there is none. */
  readonly program: string | undefined;
  readonly files: readonly BoundFile[];
  readonly notBound: readonly NotBound[];
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // as execvp(3): what cannot be executed is passed over
  }
}

/** As execvp(3) looks a name up. */
export async function findProgram(
  name: string,
  { cwd, searchPath }: Pick<ExamineRequest, "cwd" | "searchPath">,
): Promise<string | undefined> {
  const candidates = name.includes("/") ? [path.resolve(cwd, name)] : searchPath.split(":").map((entry) => path.resolve(cwd, entry, name));
  for (const candidate of name === "" || name.includes("\0") ? [] : candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

interface Content {
  readonly path: string;
  readonly digest: string;
  /** The first bytes, for a `#!` line. */
  readonly head: string;
}

async function digestOf(handle: FileHandle): Promise<Pick<Content, "digest" | "head"> | undefined> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(chunkBytes);
  let head = "";
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    if (bytesRead === 0) return { digest: `sha256:${hash.digest("hex")}`, head };
    if (at === 0) head = buffer.toString("latin1", 0, Math.min(bytesRead, 256));
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
    if (at > maximumFileBytes) return undefined; // it grew while it was read
  }
}

/** Undefined for whatever is no regular file of a bounded size that we may read. */
async function readContent(file: string): Promise<Content | undefined> {
  try {
    await using place = await open(file, oPath);
    const found = await place.stat();
    if (!found.isFile() || found.size > maximumFileBytes) return undefined;
    const here = `/proc/self/fd/${place.fd}`;
    await using handle = await open(here, constants.O_RDONLY | constants.O_NONBLOCK);
    const content = await digestOf(handle);
    return content === undefined ? undefined : { ...content, path: await readlink(here) };
  } catch {
    return undefined; // absent, or not ours to read: shown as not bound, never as bound
  }
}

const bound = (role: BoundFile["role"], content: Content): BoundFile => ({
  role,
  path: content.path,
  digest: digestSchema.parse(content.digest),
});

/** The interpreter of a script: `#!` and an absolute path. */
async function interpreterOf({ head }: Content): Promise<readonly BoundFile[]> {
  const named = /^#![ \t]*(\/[^ \t\n]+)/u.exec(head)?.[1];
  const content = named === undefined ? undefined : await readContent(named);
  return content === undefined ? [] : [bound("interpreter", content)];
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

/** Every word behind the program that names something which is no directory. */
async function examineOperands({ argv, cwd }: ExamineRequest): Promise<Pick<Examined, "files" | "notBound">> {
  const files: BoundFile[] = [];
  const notBound: NotBound[] = [];
  for (const word of new Set(argv.slice(1))) {
    if (word === "" || word.includes("\0") || !(await isThere(path.resolve(cwd, word)))) continue;
    const content = files.length < maximumOperands ? await readContent(path.resolve(cwd, word)) : undefined;
    if (content === undefined) notBound.push({ what: "operand", name: word });
    else files.push(bound("operand", content));
  }
  return { files, notBound };
}

/** Looks at the machine as it is now; the same files with the same content give the same value. */
export async function examineFiles(request: ExamineRequest): Promise<Examined> {
  const [name = ""] = request.argv;
  const program = await findProgram(name, request);
  const content = program === undefined ? undefined : await readContent(program);
  const operands = await examineOperands(request);
  if (content === undefined) return { program, files: operands.files, notBound: [{ what: "program", name }, ...operands.notBound] };
  return { program, files: [bound("program", content), ...(await interpreterOf(content)), ...operands.files], notBound: operands.notBound };
}
