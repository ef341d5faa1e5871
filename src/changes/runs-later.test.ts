// isRunLater() and changesWhatRuns(): the list as somebody would read it, and package.json by its content.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesWhatRuns, isRunLater } from "./runs-later.ts";

test("isRunLater() knows files that a build, a test run or an agent obeys, at any depth and in any letter case", () => {
  for (const path of [
    "/p/package.json",
    "/p/Makefile",
    "/p/sub/rules.mk",
    "/p/tests/conftest.py",
    "/p/setup.py",
    "/p/pyproject.toml",
    "/p/.npmrc",
    "/p/build.rs",
    "/p/gradlew",
    "/p/CMakeLists.txt",
    "/p/Jenkinsfile",
    "/p/.github/workflows/ci.yml",
    "/p/docker/Dockerfile.prod",
    "/p/AGENTS.md",
    "/p/CLAUDE.md",
    "/p/vite.config.ts",
    "/p/node_modules/.bin/tsc",
    "/p/MAKEFILE",
  ])
    assert.equal(isRunLater(path), true, path);
  for (const path of ["/p/README.md", "/p/src/main.ts", "/p/makefile.txt", "/p/.github/README.md", "/p/node_modules/x/index.js"])
    assert.equal(isRunLater(path), false, path);
});

test("changesWhatRuns() passes over a package.json whose scripts are the same", () => {
  const path = "/p/package.json";
  const text = (version: string, script: string): string => JSON.stringify({ version, scripts: { test: script } });
  assert.equal(changesWhatRuns(path, text("1", "a"), text("2", "a")), false);
  assert.equal(changesWhatRuns(path, text("1", "a"), text("1", "b")), true);
  assert.equal(changesWhatRuns(path, undefined, text("1", "a")), true);
  assert.equal(changesWhatRuns(path, text("1", "a"), "no json"), true);
  assert.equal(changesWhatRuns("/p/Makefile", "a", "a\n"), true);
});
