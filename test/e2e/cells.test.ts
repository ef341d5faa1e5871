// Code cells with a real kernel: state, contexts, what they show, limits and interrupts, and cells that attack what speaks for them. INVARIANT I-01, I-13
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { composeDoor } from "../../src/compose.ts";
import type { CellOptions, CellOutput, OpenSandbox } from "../../src/lib.ts";
import { installation, makeWorld } from "../fixtures/library-world.ts";
import { processesWith } from "./process-boundary-fixture.ts";

const { glovebox, project, stateHome } = await makeWorld({ after }, "hold");
const open = (): Promise<OpenSandbox> => glovebox.open({ project, policy: { boundary: "container" } });

const plain = (outputs: readonly CellOutput[]): readonly string[] =>
  outputs.map((output) => {
    if (output.kind === "stream") return `${output.name} ${output.text}`;
    return output.kind === "error" ? `${output.name}: ${output.value}` : `${output.kind} ${output.data["text/plain"]}`;
  });

async function shows(box: OpenSandbox, code: string, options?: CellOptions): Promise<readonly string[]> {
  return plain((await box.cells.run(code, options)).outputs);
}

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const shown = `import base64, os, sys
from IPython.display import display, HTML, JSON, Latex, SVG
display(HTML("<table><tr><td>1</td></tr></table>"), SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'), Latex("$x$"), JSON({"a": 1}))
class Figure:
    def _repr_png_(self): return base64.b64decode("${picture}")
open(os.environ["OUTPUT_DIR"] + "/own.txt", "w").write("own")
print("to stderr", file=sys.stderr)
Figure()`;

test("a cell finds what cells before it in its context left, and nothing of another context; what it shows comes with its kinds, and as files", async () => {
  const box = await open();
  assert.deepEqual(await shows(box, "x = 41\nprint('hi')\nx"), ["stdout hi\n", "result 41"]);
  const [again, other, rich] = await Promise.all([shows(box, "x + 1"), shows(box, "x", { context: "other" }), box.cells.run(shown)]);
  assert.deepEqual([again, other], [["result 42"], ["NameError: name 'x' is not defined"]]);
  const kinds = rich.outputs.map((output) =>
    "data" in output ? Object.keys(output.data).filter((type) => type !== "text/plain") : output.kind,
  );
  assert.deepEqual(kinds, [["text/html"], ["image/svg+xml"], ["text/latex"], ["application/json"], "stream", ["image/png"]]);
  assert.deepEqual([rich.status, rich.untrusted, rich.count], ["ok", true, 3]);
  const handedBack = (await glovebox.artifacts(box.task).list()).find(({ action }) => action === rich.action);
  assert.deepEqual(handedBack?.artifacts.map(({ name, mediaType }) => `${name} ${mediaType}`).toSorted(), [
    "figure-3-2.svg image/svg+xml",
    "figure-3-5.png image/png",
    "own.txt text/plain",
    "table-3-1.html text/html",
  ]);
  await box.cells.end();
  assert.deepEqual(await shows(box, "x"), ["NameError: name 'x' is not defined"]);
  await box.close();
  assert.deepEqual(await processesWith(box.id), []);
});

test("an interrupt ends a cell and keeps its kernel; the limit does once, and the second time or where the cell goes on it ends the kernel, on record", async () => {
  const box = await open();
  const interrupt = new AbortController();
  const endless = "import time\nx = 5\nprint('go')\nwhile True: time.sleep(0.01)";
  const stopped = await box.cells.run(endless, { interrupt: interrupt.signal, onOutput: () => interrupt.abort() });
  assert.deepEqual(
    [stopped.status, stopped.kernel, plain(stopped.outputs)],
    ["interrupted", "kept", ["stdout go\n", "KeyboardInterrupt: "]],
  );
  const ends = async (code: string, options: CellOptions) => {
    const { status, code: error, kernel, limitHits } = await box.cells.run(code, { limitMs: 3000, ...options });
    return [status, error, kernel, limitHits.map(({ limit, allowed }) => `${limit} ${allowed}`)];
  };
  const deaf = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass";
  const [, deafEnd] = await Promise.all([
    (async () => {
      assert.deepEqual(await ends("while True: pass", {}), ["limit", "LIMIT_WALL_TIME", "kept", ["wall 3000"]]);
      assert.deepEqual(await shows(box, "x"), ["result 5"]);
      assert.deepEqual(await ends("while True: pass", {}), ["limit", "LIMIT_WALL_TIME", "ended", ["wall 3000"]]);
    })(),
    ends(deaf, { context: "deaf" }),
  ]);
  assert.deepEqual(deafEnd, ["limit", "LIMIT_WALL_TIME", "ended", ["wall 3000"]]);
  assert.equal((await box.stats()).processes, 0, "no kernel is left");
  await box.close();
  const door = composeDoor({ environment: { XDG_STATE_HOME: stateHome }, installation });
  const records = (await door.records({ task: box.task, limit: 200 })).toReversed();
  await door.close();
  const actions = [...new Set(records.map(({ action }) => action))].slice(1);
  const typesOf = (wanted: string) => records.flatMap(({ type, action }) => (action === wanted ? [type] : []));
  const kernels = actions.filter((action) => typesOf(action ?? "").includes("execution.stopped"));
  assert.equal(kernels.length, 2, "both kernels that were ended");
  for (const action of actions) {
    const wants = ["policy.decision", "execution.ended", "result.returned", ...(kernels.includes(action) ? ["execution.stopped"] : [])];
    assert.deepEqual(typesOf(action ?? ""), wants);
  }
});

test("cells that flood, end their kernel, or write into what speaks for them are bounded and told with a code, and the next cell runs", async () => {
  const box = await open();
  const flood = await box.cells.run("print('z' * 70_000_000)");
  assert.deepEqual([flood.status, flood.text.length, flood.cutCharacters], ["ok", 1 << 20, 70_000_001 - (1 << 20)]);
  const displays = await box.cells.run("from IPython.display import display\nfor i in range(600): display('x' * 10000)");
  assert.deepEqual([displays.status, displays.outputs.length], ["ok", 200]);
  assert.ok(displays.cutCharacters > 1_000_000);
  // Whichever processes it may reach, it writes what no bridge says, and it tries to end them.
  const attack = `import glob, os
reached = []
for place in glob.glob("/proc/[0-9]*"):
    pid = int(place.split("/")[2])
    if pid == os.getpid(): continue
    for number in (1, 2):
        try: os.write(os.open(place + "/fd/%d" % number, os.O_WRONLY | os.O_NONBLOCK), b"garbage"); reached.append((pid, "write"))
        except OSError: pass
    try: os.kill(pid, 9); reached.append((pid, "kill"))
    except OSError: pass
reached`;
  assert.deepEqual(await shows(box, attack), ["result []"], "the bridge is behind walls of its own");
  const dead = await box.cells.run("import os\nos._exit(0)");
  assert.deepEqual([dead.status, dead.code, dead.kernel], ["lost", "CELL_LOST", "ended"]);
  assert.deepEqual(await shows(box, "1 + 1"), ["result 2"]);
  await box.close();
  assert.deepEqual(await processesWith(box.id), []);
});
