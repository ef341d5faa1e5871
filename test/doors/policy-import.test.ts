// Settings of each tool, imported by the command line, checked and run by: the file that comes out is a policy like any other.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { commandLine } from "../fixtures/command-line.ts";
import { removeScratch } from "../fixtures/scratch.ts";

/** Each makes the project writable, hides `closed`, keeps `fixed` as it is and asks for more than is given. */
const settings = {
  srt: {
    file: "srt.json",
    text: `{"network": {"allowedDomains": [], "deniedDomains": [], "allowAllUnixSockets": true},
  "filesystem": {"denyRead": ["closed"], "allowWrite": ["."], "denyWrite": ["fixed"]}}`,
  },
  "claude-code": {
    file: ".claude/settings.json",
    text: `{"permissions": {"deny": ["Read(./closed/**)", "Edit(/fixed/**)"]},
  "sandbox": {"enabled": true, "autoAllowBashIfSandboxed": true, "allowUnsandboxedCommands": true}}`,
  },
  codex: {
    file: "config.toml",
    text: `default_permissions = "mine"
[permissions.mine]
extends = ":workspace"
filesystem = {":workspace_roots" = {"." = "write", "closed" = "deny", "fixed" = "read"}, ":root" = "write"}
`,
  },
} as const;

test("what is imported from each tool passes its check, runs, and holds what it denied", async (t) => {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-import-")));
  t.after(() => removeScratch(base));
  const environment = { XDG_STATE_HOME: base, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  const glovebox = (project: string, ...words: readonly string[]) =>
    capture("/bin/sh", ["-c", 'cd "$0" && exec "$@"', project, process.execPath, commandLine, ...words], {
      environment,
      timeoutMs: 120_000,
    });
  for (const [from, { file, text }] of Object.entries(settings)) {
    const project = path.join(base, from);
    for (const directory of ["closed", "fixed", ".claude"]) await mkdir(path.join(project, directory), { recursive: true });
    for (const name of ["closed/secret", "fixed/page"]) await writeFile(path.join(project, name), "text\n");
    await writeFile(path.join(project, file), text);
    const out = path.join(base, `${from}.yaml`);
    const imported = await glovebox(project, "policy", "import", "--from", from, file, "--out", out);
    assert.equal(imported.code, 0, imported.stderr);
    assert.match(imported.stderr, /: refused: /u, from);
    assert.equal((await glovebox(project, "policy", "check", out)).code, 0, await readFile(out, "utf8"));
    const script = "cat closed/secret; echo n > fixed/page; echo n > new && cat fixed/page";
    const ran = await glovebox(project, "run", "--quiet", "--policy", out, "--", "sh", "-c", script);
    assert.deepEqual([ran.code, ran.stdout], [0, "text\n"], `${from}: ${ran.stderr}`);
    assert.equal(await readFile(path.join(project, "new"), "utf8"), "n\n");
  }
});
