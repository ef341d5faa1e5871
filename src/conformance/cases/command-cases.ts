// How a command starts and ends: codes, names, environment, directory.
import assert from "node:assert/strict";
import type { ConformanceCase } from "../conformance.ts";
import { finish } from "./read-output.ts";

/** Names that a program may set for itself, and the one that a wall may add. */
const allowedExtras = ["_", "SHLVL", "PWD", "OLDPWD", "TMPDIR"];

export const commandCases: readonly ConformanceCase[] = [
  ...[0, 1, 42, 127, 255].map((code): ConformanceCase => ({
    name: `exit code ${code} passes through`,
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { exit } = await finish(await sandbox.exec({ argv: dialect.exit(code), cwd: spec.projectDirectory }));
      assert.equal(exit.kind, "exited");
      assert.equal(exit.kind === "exited" && exit.code, code);
    },
  })),
  {
    name: "a program that does not exist is not started, with code 127",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { exit, stdout } = await finish(await sandbox.exec({ argv: dialect.missing(), cwd: spec.projectDirectory }));
      assert.deepEqual(exit, { kind: "not-started", code: 127, errno: "ENOENT" });
      assert.equal(stdout.length, 0);
    },
  },
  {
    name: "the environment is the given one and nothing else",
    environment: { GLOVEBOX_CASE: "one two=three", EMPTY: "" },
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.environment(), cwd: spec.projectDirectory }));
      const names = new Map(
        stdout
          .toString()
          .trimEnd()
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      assert.equal(names.get("GLOVEBOX_CASE"), "one two=three");
      assert.equal(names.get("EMPTY"), "");
      const extra = [...names.keys()].filter((name) => !Object.hasOwn(spec.environment, name) && !allowedExtras.includes(name));
      assert.deepEqual(extra, []);
    },
  },
  {
    name: "a command's own environment replaces the sandbox's",
    environment: { GLOVEBOX_CASE: "outer" },
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const environment = { PATH: spec.environment["PATH"] ?? "/usr/bin:/bin", OWN: "inner" };
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.environment(), cwd: spec.projectDirectory, environment }));
      assert.match(stdout.toString(), /^OWN=inner$/mu);
      assert.doesNotMatch(stdout.toString(), /GLOVEBOX_CASE/u);
    },
  },
  {
    name: "a command starts in the directory it asked for",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.directory(), cwd: spec.projectDirectory }));
      assert.equal(stdout.toString(), `${spec.projectDirectory}\n`);
    },
  },
  {
    name: "odd arguments arrive unharmed",
    async run({ open, dialect, spec }) {
      const odd = "-n $HOME `id` \"'\\ \u{1f980} é \t*";
      const sandbox = await open();
      const { stdout } = await finish(await sandbox.exec({ argv: dialect.print(odd), cwd: spec.projectDirectory }));
      assert.equal(stdout.toString(), `${odd}\n`);
    },
  },
  {
    name: "a command with a pty sees the size it was given",
    async run({ open, dialect, spec }) {
      const sandbox = await open();
      const { stdout } = await finish(
        await sandbox.exec({ argv: dialect.terminalSize(), cwd: spec.projectDirectory, pty: { rows: 33, columns: 117 } }),
      );
      assert.equal(stdout.toString().trim(), "33 117");
    },
  },
];
