// A disk that fills up under the state while a sandbox is open: no command starts that cannot be recorded, and with room again all goes on. INVARIANT I-11
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { clientProgram } from "../fixtures/thin-client.ts";
import { endBroker } from "../fixtures/served-broker.ts";
import { removeScratch } from "../fixtures/scratch.ts";

/** Each line of its output is a step: its name, its exit code, and the code of what it refused. */
const script = `
cd "$PROJECT"
trap '"$NODE" "$GLOVEBOX" broker --stop' EXIT
box=$("$NODE" "$GLOVEBOX" sandbox open --project "$PROJECT") || exit 1
try() {
  name=$1; shift
  "$@" >/dev/null 2>"$WORDS"; code=$?
  echo "$name $code $(grep -o 'code: [A-Z_]*' "$WORDS" | tail -n 1)"
}
thin() { try "$1" "$CLIENT" /bin/false sandbox exec "$box" -- touch "$PROJECT/$1"; }
node() { try "$1" "$NODE" "$GLOVEBOX" sandbox exec "$box" -- touch "$PROJECT/$1"; }
thin before
dd if=/dev/zero of="$XDG_STATE_HOME/filler" bs=1k 2>/dev/null
thin full-thin
node full-node
try full-open "$NODE" "$GLOVEBOX" sandbox open --project "$PROJECT"
rm "$XDG_STATE_HOME/filler"
thin after
try close "$NODE" "$GLOVEBOX" sandbox close "$box"
try verify "$NODE" "$GLOVEBOX" ledger verify
`;

test("with no room left under the state an open sandbox runs nothing, by either client, until there is room again", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "gb-full-state-")));
  t.after(() => removeScratch(base));
  const [project, state] = [path.join(base, "project"), path.join(base, "state")];
  await mkdir(project);
  await mkdir(state);
  const machine = ["--dev-bind", "/", "/", "--size", String(24 << 20), "--tmpfs", state, "--", "/bin/sh", "-c", script];
  const environment = {
    XDG_STATE_HOME: state,
    PATH: "/usr/local/bin:/usr/bin:/bin",
    WORDS: path.join(base, "words"),
    NODE: process.execPath,
    GLOVEBOX: commandLine,
    CLIENT: clientProgram,
    PROJECT: project,
  };
  const { stdout, stderr } = await capture("/usr/bin/bwrap", machine, { environment, timeoutMs: 120_000 });
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.trim()),
    [
      "before 0",
      "full-thin 125 code: LEDGER_UNWRITABLE",
      "full-node 125 code: LEDGER_UNWRITABLE",
      "full-open 125 code: LEDGER_UNWRITABLE",
      "after 0",
      "close 0",
      "verify 0",
    ],
    stderr,
  );
  await endBroker(state, async () => {});
  assert.deepEqual((await readdir(project)).toSorted(), ["after", "before"]);
});
