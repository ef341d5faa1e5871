// Arguments and variables that are not UTF-8 reach the command byte for byte; what names a file of ours must be text.
import assert from "node:assert/strict";
import { mkdtemp, realpath } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { type Captured, capture } from "../../src/kit/spawn.ts";
import { removeScratch } from "../fixtures/scratch.ts";
import { commandLine } from "../fixtures/command-line.ts";

/** `script` is a shell script on the host that has "$glovebox" to call: only a shell can make such words. */
async function host(t: TestContext, script: string): Promise<Captured> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bytes-")));
  t.after(() => removeScratch(base));
  const project = await mkdtemp(path.join(base, "project-"));
  const start = `cd ${project}; glovebox() { ${process.execPath} ${commandLine} "$@"; }; bad=$(printf '\\377\\303('); `;
  return capture("/bin/sh", ["-c", start + script], { environment: { XDG_STATE_HOME: base, PATH: "/usr/bin:/bin" }, timeoutMs: 120_000 });
}

test("an argument that is not UTF-8 names the file it names, and no other", async (t) => {
  const { code, stdout, stderr } = await host(
    t,
    `replaced=$(printf '\\357\\277\\275\\357\\277\\275('); : > "$bad"; : > "$replaced"; glovebox run --quiet -- rm -- "$bad" && ls | od -An -c | tr -d ' \\n'`,
  );
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "357277275357277275(\\n");
});

test("a variable that passes keeps its bytes", async (t) => {
  const { stdout } = await host(t, `LC_X="a$bad" glovebox run --quiet -- sh -c 'printf %s "$LC_X" | od -An -c | tr -d " \\n"'`);
  assert.equal(stdout, "a377303(");
});

test("the record of such a command is kept, and proves", async (t) => {
  const { code, stdout } = await host(
    t,
    `glovebox run --quiet -- printf %s "$bad" >/dev/null && glovebox ledger ls && glovebox ledger verify`,
  );
  assert.equal(code, 0);
  assert.match(stdout, /printf %s '\\\\xff\\\\xc3\('/u);
});

test("an option's value that is not UTF-8 is refused", async (t) => {
  const { code, stderr } = await host(t, `glovebox run --allow-read "/$bad" -- touch ran; echo "code $?"; ls >&2`);
  assert.equal(code, 0);
  assert.match(stderr, /USAGE_INVALID/u);
  assert.doesNotMatch(stderr, /ran/u);
});

test("a directory whose name is not UTF-8 is refused, also behind a link, and none with a similar name is taken for it", async (t) => {
  const { stdout, stderr } = await host(
    t,
    `similar=$(printf '\\357\\277\\275\\357\\277\\275('); mkdir "$bad" "$similar"; ln -s "$bad" link; (cd "$bad" && glovebox run -- touch ran; echo "code $?")
    for option in --project --cwd; do glovebox run $option link -- touch ran; echo "code $?"; done; find . -name ran`,
  );
  assert.equal(stdout, "code 2\ncode 2\ncode 2\n", stderr);
  assert.match(stderr, /is not UTF-8 text/u);
});

test("a rule about a link to such a name is refused: it would hold for a similar name", async (t) => {
  const { stdout, stderr } = await host(
    t,
    `mkdir -p ../outside/"$bad"; ln -s "$bad" ../outside/link
    for option in --deny-read --allow-read --allow-write; do glovebox run $option ../outside/link -- touch ran; echo "code $?"; done; ls`,
  );
  assert.equal(stdout, "code 122\ncode 122\ncode 122\n", stderr);
  assert.match(stderr, /PATH_RULE_UNENFORCEABLE/u);
});
