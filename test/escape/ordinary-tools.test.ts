// A wall that breaks ordinary tools is as wrong as a hole: each tool does the same inside as outside.
import assert from "node:assert/strict";
import { access, constants, mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import type { SandboxSpec } from "../../src/contracts/boundary.ts";
import { capture } from "../../src/kit/spawn.ts";
import { type Ground, makeGround } from "./harness/ground.ts";
import { boundaryWith, quietContext, specFor } from "./harness/inside.ts";
import { type ToolCase, toolCases } from "./ordinary-tools/cases.ts";

const timeoutMs = 60_000;

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

interface Outcome {
  readonly code: number;
  readonly stdout: string;
}

interface Place {
  readonly work: string;
  readonly script: string;
  readonly environment: Record<string, string>;
}

/** An empty directory in the write root and the script beside it. */
async function preparePlace(ground: Ground, toolCase: ToolCase, searchPath: readonly string[]): Promise<Place> {
  const work = path.join(ground.out, "work");
  await mkdir(work, { recursive: true });
  const script = path.join(ground.tools, "case.sh");
  await writeFile(script, `cd "${work}" || exit 99\n${toolCase.script}\n`);
  return { work, script, environment: { PATH: searchPath.join(":"), HOME: ground.home, LANG: "C.UTF-8", TERM: "xterm" } };
}

async function runOnHost(place: Place): Promise<Outcome> {
  const { code, stdout, stderr } = await capture("/bin/sh", [place.script], { environment: place.environment, timeoutMs });
  assert.equal(code, 0, `the case itself is wrong, it fails on the host: ${stdout}${stderr}`);
  return { code, stdout };
}

async function runInSandbox(spec: SandboxSpec, place: Place): Promise<Outcome & { readonly stderr: string }> {
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(timeoutMs)));
  try {
    const execution = await sandbox.exec({ argv: ["/bin/sh", place.script], cwd: spec.projectDirectory });
    execution.endStdin();
    const text = { stdout: "", stderr: "" };
    for await (const { channel, bytes } of execution.output) text[channel] += Buffer.from(bytes).toString("latin1");
    const report = await execution.exit;
    return { code: report.kind === "exited" ? report.code : -1, ...text };
  } finally {
    await sandbox.close();
  }
}

for (const toolCase of toolCases) {
  test(`inside as outside: ${toolCase.name}`, async () => {
    await using resources = new AsyncDisposableStack();
    const npm = await npmDirectories();
    const searchPath = [nodeDirectory, ...systemPath, ...npm.filter((directory) => !isSystem(directory)).slice(0, 1)];
    for (const tool of toolCase.needs) await findTool(tool, searchPath);
    const outcomes: Outcome[] = [];
    for (const side of ["host", "sandbox"] as const) {
      const ground = await makeGround(resources, groundParent);
      const place = await preparePlace(ground, toolCase, searchPath);
      // Only for those who need it: where this checkout lies below /tmp, opening it makes /tmp itself a read-only skeleton.
      const usesNode = toolCase.needs.some((tool) => ["node", "npm"].includes(tool));
      const allowRead = usesNode ? [nodeDirectory, ...npm].filter((directory) => !isSystem(directory)) : [];
      const request = {
        home: ground.home,
        project: ground.project,
        privateDirectory: ground.private,
        paths: { ...ground.paths, allowRead },
      };
      const spec = { ...specFor(request), environment: place.environment };
      const outcome = side === "host" ? await runOnHost(place) : await runInSandbox(spec, place);
      const { stdout } = outcome;
      outcomes.push({
        code: outcome.code,
        stdout: stdout.replaceAll(ground.root, "GROUND") + ("stderr" in outcome && outcome.code !== 0 ? String(outcome.stderr) : ""),
      });
    }
    assert.deepEqual(outcomes[1], outcomes[0]);
  });
}
