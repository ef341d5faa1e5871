// Runs a program of a build to its end. It and all that it starts die with us, also when we are killed: they are in a pid namespace whose first process
// the kernel ends. An ordinary user's build runs as the root of a user namespace with his subordinate ids, and owns nothing else.
import { accessSync, constants, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { StringDecoder } from "node:string_decoder";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { spawnProcess } from "../kit/spawn.ts";

const directories = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] as const;
const searchPath = "/usr/sbin:/usr/bin:/sbin:/bin";

function findProgram(name: string): string | undefined {
  return directories
    .map((directory) => `${directory}/${name}`)
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false; // not there, or not a program: the caller refuses
      }
    });
}

/** @throws TEMPLATE_UNBUILDABLE naming the package that brings it */
export function requireProgram(name: string, inPackage = name): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  throw new GloveboxError("TEMPLATE_UNBUILDABLE", "template.program-missing", { values: { program: name, package: inPackage } });
}

/** Whether a file of subordinate ids gives this user as many as a Debian system needs. Lines: name or uid, first id, how many. */
export function givesIds(text: string, { uid, username }: { readonly uid: number; readonly username: string }): boolean {
  const rows = text.split("\n").map((line) => line.split(":"));
  return rows.some(([who, , count]) => (who === username || who === String(uid)) && Number(count) >= 65_535);
}

function readIds(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // nobody has any
  }
}

/** @throws TEMPLATE_UNBUILDABLE */
function requireSubordinateIds(): void {
  requireProgram("newuidmap", "uidmap");
  const user = userInfo();
  const isGiven = ["/etc/subuid", "/etc/subgid"].every((file) => givesIds(readIds(file), user));
  if (!isGiven) throw new GloveboxError("TEMPLATE_UNBUILDABLE", "template.no-subordinate-ids", { values: { user: user.username } });
}

/** What comes before the program. */
function enclosure(): readonly [string, ...string[]] {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) requireSubordinateIds();
  const own = isRoot ? [] : ["--map-root-user", "--map-auto"];
  const unshare = [requireProgram("unshare", "util-linux"), ...own, "--mount", "--pid", "--fork", "--kill-child=KILL", "--"];
  return [requireProgram("setpriv", "util-linux"), "--pdeathsig", "KILL", "--", ...unshare];
}

export interface Builder {
  readonly command: readonly [string, ...string[]];
  /** Of everything that it writes beside its result. */
  readonly temporary: string;
  readonly stdin?: string;
  readonly onLine?: (line: string) => void;
}

/** What it said is kept so far, to be shown. */
const keptLines = 40;
const isFull = /No space left on device|don't have enough free space|Disk quota exceeded|wrote only \d+ of \d+ bytes/iu;

/** A repository may be named with a password. */
const withoutPassword = (line: string): string => line.replaceAll(/:\/\/[^\s/@]*@/gu, "://");

/** Its own word for what went wrong, where it said one. */
function complaintOf(lines: readonly string[]): string {
  const said =
    lines.findLast((line) => /^E: (?!(?:apt-get|dpkg|run_|env ).* failed)/u.test(line)) ?? lines.findLast((line) => line.trim() !== "");
  return withoutPassword(said ?? "").slice(0, 300);
}

function failureOf(lines: readonly string[], { command, temporary }: Builder, code: number): GloveboxError {
  if (lines.some((line) => isFull.test(line)))
    return new GloveboxError("TEMPLATE_NO_ROOM", "template.no-room", { values: { directory: temporary } });
  const program = command[0].split("/").at(-1) ?? "";
  return new GloveboxError("TEMPLATE_BUILD_FAILED", "template.build-failed", { values: { program, code, detail: complaintOf(lines) } });
}

/** @throws TEMPLATE_UNBUILDABLE, TEMPLATE_NO_ROOM, TEMPLATE_BUILD_FAILED */
export async function runBuilder(builder: Builder): Promise<void> {
  const { command, temporary, stdin, onLine } = builder;
  const [file, ...args] = [...enclosure(), ...command];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const environment = { PATH: searchPath, HOME: temporary, TMPDIR: temporary, LC_ALL: "C.UTF-8", DEBIAN_FRONTEND: "noninteractive" };
  const child = spawnProcess(file ?? "", args, { environment, cwd: "/", stdio: ["pipe", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    stream?.on("data", (bytes: Buffer) => {
      const parts = `${rest}${decoder.write(bytes)}`.split(/[\n\r]/u);
      rest = (parts.pop() ?? "").slice(-1000);
      for (const line of parts) {
        lines.push(line.slice(0, 1000));
        onLine?.(line);
      }
      lines.splice(0, lines.length - keptLines);
    });
  }
  child.on("error", reject);
  child.on("close", (code) => resolve(code ?? 128));
  child.stdin?.on("error", () => {}); // one that has ended before it read all says so itself
  child.stdin?.end(stdin ?? "");
  const code = await promise;
  if (code !== 0) throw failureOf(lines, builder, code);
}
