// Runs one case of the ordinary tools on both sides of the wall, and compares.
import assert from "node:assert/strict";
import { access, constants, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { readMachineLoad, remainingMs } from "../../../scripts/lanes/lane-deadline.ts";
import { runResultFileSchema } from "../../../src/contracts/run-result-file.ts";
import { type Captured, capture } from "../../../src/kit/spawn.ts";
import { makeGround } from "../harness/ground.ts";
import type { ToolCase } from "./tool-case.ts";
import { commandLine } from "../../fixtures/command-line.ts";

/** A compiler on a machine with nothing else to do needs far less; a busy one takes as many times longer. */
const patienceMs = (): number => remainingMs(90_000, 0, readMachineLoad());
/** HOME of every command behind the wall; outside it is the ground's. */
const homeInside = "/run/sandbox/home";

/** Not below /tmp: a project there leaves no /tmp of its own inside, only TMPDIR, and one case writes to /tmp by name. */
const groundParent = "/var/tmp";
const systemPath = ["/usr/local/bin", "/usr/bin", "/bin"];

async function findTool(name: string, directories: readonly string[]): Promise<string> {
  for (const directory of directories) {
    const file = path.join(directory, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  throw new Error(`"${name}" is not installed: install it, the ordinary tools are part of what is tested`);
}

/** The Node that runs this test comes first, so that both sides use the same one. */
const nodeDirectory = path.dirname(process.execPath);

/** Where npm's own files lie when they are not part of the system. */
async function npmDirectories(): Promise<readonly string[]> {
  const callerPath = (process.env["PATH"] ?? "").split(":").filter((entry) => path.isAbsolute(entry));
  const npm = await findTool("npm", [...systemPath, ...callerPath]);
  return [path.dirname(npm), path.dirname(path.dirname(await realpath(npm)))];
}

const isSystem = (directory: string): boolean => ["/usr/", "/bin/", "/opt/"].some((prefix) => `${directory}/`.startsWith(prefix));

interface Place {
  readonly work: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Directories of Node and npm that the default view does not show. */
  readonly alsoRead: readonly string[];
}

/** An empty project, a home and a state directory of its own. */
async function preparePlace(resources: AsyncDisposableStack, toolCase: ToolCase): Promise<Place & { readonly root: string }> {
  const ground = await makeGround(resources, groundParent);
  const [work, state] = [path.join(ground.root, "work"), path.join(ground.root, "state")];
  await mkdir(work);
  await mkdir(state, { mode: 0o700 });
  const npm = await npmDirectories();
  const searchPath = [nodeDirectory, ...systemPath, ...npm.filter((directory) => !isSystem(directory)).slice(0, 1)];
  for (const tool of toolCase.needs) await findTool(tool, searchPath);
  const usesNode = toolCase.needs.some((tool) => ["node", "npm"].includes(tool));
  const environment = {
    PATH: searchPath.join(":"),
    HOME: ground.home,
    LANG: "C.UTF-8",
    TERM: "xterm",
    NO_COLOR: "1",
    XDG_STATE_HOME: state,
    XDG_RUNTIME_DIR: state,
  };
  return {
    root: ground.root,
    work,
    environment,
    alsoRead: [...(usesNode ? [nodeDirectory, ...npm].filter((one) => !isSystem(one)) : []), ...(toolCase.alsoRead ?? [])],
  };
}

const shell = (toolCase: ToolCase): readonly string[] => ["/bin/sh", "-c", toolCase.script];

/** `argv` in the project; on a terminal of its own where the case wants one. */
function start(toolCase: ToolCase, { work, environment }: Place, argv: readonly string[]): Promise<Captured> {
  if (toolCase.terminal === undefined) return capture("/usr/bin/env", ["-C", work, ...argv], { environment, timeoutMs: patienceMs() });
  const quoted = argv.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  // A keyboard on which nobody types: at the end of its input script(1) would type one, and hang up.
  const typing = `mkfifo ../keys && exec script -qec "$1" /dev/null 0<> ../keys`;
  return capture("/usr/bin/env", ["-C", work, "/bin/sh", "-c", typing, "sh", quoted], { environment, timeoutMs: patienceMs() });
}

/** One spelling for what differs by nature: where the ground lies, the home, and how a terminal is put back at the end. */
function spelled(stdout: string, root: string): string {
  const home = stdout.replaceAll(homeInside, "HOME").replaceAll(path.join(root, "home"), "HOME");
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  return home.replaceAll(root, "GROUND").replace(/(?:\u001b\[[\d;?]*[A-Za-z])+$/u, "");
}

const noFlags = async (): Promise<readonly string[]> => [];

/** Every open mediated. */
const strictPolicy = "apiVersion: glovebox/v1\nfilesystem: {strict: true}\n";

export async function strictFlags(root: string): Promise<readonly string[]> {
  const file = path.join(root, "strict.yaml");
  await writeFile(file, strictPolicy);
  return ["--policy", file];
}

const resultOf = (root: string): string => path.join(root, "result.json");

/** The answer of the product itself: nothing got past the mediator. */
async function assertNothingPlanted(root: string): Promise<void> {
  const written = runResultFileSchema.parse(JSON.parse(await readFile(resultOf(root), "utf8")));
  assert.ok("result" in written);
  const { changes } = written.result;
  assert.equal(changes?.counts.quarantined ?? 0, 0);
  lookedThrough.push((changes?.counts.created ?? 0) + (changes?.counts.changed ?? 0));
}

/** Of each run inside: what it left made or changed. */
export const lookedThrough: number[] = [];

function runInside(toolCase: ToolCase, place: Place, more: readonly string[] = []): Promise<Captured> {
  const flags = [...more, "--quiet", "--project", place.work, ...place.alsoRead.flatMap((directory) => ["--allow-read", directory])];
  const words = [process.execPath, commandLine, "run", ...flags, ...(toolCase.terminal === undefined ? [] : ["--pty"])];
  return start(toolCase, place, [...words, "--", ...shell(toolCase)]);
}

interface Expected {
  readonly code: number;
  readonly stdout: string;
}

const knownResults = new Map<ToolCase, Promise<Expected>>();

/** What the case must print and how it must end: as declared, else as on the host, where it runs once however often it runs inside. */
function expected(toolCase: ToolCase): Promise<Expected> {
  const known = knownResults.get(toolCase) ?? outcomeOutside(toolCase);
  knownResults.set(toolCase, known);
  return known;
}

async function outcomeOutside(toolCase: ToolCase): Promise<Expected> {
  if (toolCase.prints !== undefined) return { code: toolCase.refused ?? 0, stdout: toolCase.prints };
  await using resources = new AsyncDisposableStack();
  const place = await preparePlace(resources, toolCase);
  const { code, stdout, stderr } = await start(toolCase, place, shell(toolCase));
  assert.equal(code, 0, `the case itself is wrong, it fails on the host: ${stdout}${stderr}`);
  assert.notEqual(stdout, "", "a case that prints nothing shows nothing");
  return { code, stdout: spelled(stdout, place.root) };
}

export async function compare(toolCase: ToolCase, flagsFor: (root: string) => Promise<readonly string[]> = noFlags): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const place = await preparePlace(resources, toolCase);
  const flags = [...(await flagsFor(place.root)), "--result-file", resultOf(place.root)];
  // Both sides at once: neither knows of the other.
  const [wanted, { code, stdout, stderr }] = await Promise.all([expected(toolCase), runInside(toolCase, place, flags)]);
  assert.deepEqual({ code, stdout: spelled(stdout, place.root) }, wanted, stderr);
  await assertNothingPlanted(place.root);
}
