// Files that a build, a test run, an editor or an agent on the host runs or obeys later. They stay writable inside; who runs the project
// next should look at them first. docs/file-changes.md shows this list.
import { basename } from "node:path/posix";

/** Names of files, in any directory; letter case does not count. */
export const runsLaterNames: readonly string[] = [
  // JavaScript
  "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .babelrc .eslintrc.js .eslintrc.cjs .mocharc.js .mocharc.cjs gulpfile.js gruntfile.js",
  // Python
  "setup.py setup.cfg pyproject.toml conftest.py noxfile.py tox.ini pytest.ini sitecustomize.py usercustomize.py tasks.py manage.py fabfile.py",
  // C, C++, make and kin
  "makefile gnumakefile cmakelists.txt configure configure.ac meson.build sconstruct wscript justfile taskfile.yml taskfile.yaml",
  // Rust, Go, Java, .NET, Ruby, PHP, Elixir
  "build.rs cargo.toml rust-toolchain rust-toolchain.toml go.mod go.work magefile.go gradlew gradlew.bat build.gradle build.gradle.kts",
  "settings.gradle settings.gradle.kts pom.xml mvnw mvnw.cmd build.sbt directory.build.props directory.build.targets gemfile rakefile composer.json mix.exs",
  // Bazel, Nix, containers, machines
  "build build.bazel workspace module.bazel .bazelrc flake.nix default.nix shell.nix dockerfile containerfile compose.yml compose.yaml docker-compose.yml",
  "docker-compose.yaml vagrantfile procfile",
  // Continuous integration, hooks and version managers
  "jenkinsfile .gitlab-ci.yml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml .pre-commit-config.yaml lefthook.yml .lefthook.yml",
  ".gitattributes .gitmodules .tool-versions mise.toml .mise.toml .nvmrc .python-version",
  // What agents are told
  "agents.md claude.md gemini.md .cursorrules .windsurfrules copilot-instructions.md .aider.conf.yml",
].flatMap((line) => line.split(" "));

/** Endings of names. */
export const runsLaterEndings: readonly string[] = [
  ".mk",
  ".cmake",
  ".gradle",
  ".bzl",
  ".csproj",
  ".fsproj",
  ".vcxproj",
  ".targets",
  ".gemspec",
  ".pth",
  ".config.js",
  ".config.cjs",
  ".config.mjs",
  ".config.ts",
];

/** Directories: whatever lies in them. */
export const runsLaterDirectories: readonly string[] = [
  ".devcontainer",
  ".github/workflows",
  ".github/actions",
  ".circleci",
  ".buildkite",
  ".cargo",
  ".mvn",
  "node_modules/.bin",
  ".yarn/releases",
  ".yarn/plugins",
  ".git-hooks",
  ".githooks",
];

const names = new Set(runsLaterNames);

/** By its path alone. */
export function isRunLater(path: string): boolean {
  const lower = path.toLowerCase();
  const name = basename(lower);
  return (
    names.has(name) ||
    name.startsWith("dockerfile.") ||
    runsLaterEndings.some((ending) => name.endsWith(ending)) ||
    runsLaterDirectories.some((directory) => lower.includes(`/${directory}/`))
  );
}

function scriptsOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const fields = new Map<string, unknown>(Object.entries(parsed));
    return JSON.stringify(
      ["scripts", "bin", "main", "exports", "type", "workspaces", "packageManager", "config", "husky", "lint-staged"].map((key) =>
        fields.get(key),
      ),
    );
  } catch {
    return undefined; // no JSON: then it counts as changed
  }
}

/** Whether a change of this file changes what is run; of package.json only the parts that run count. Absent text: not there, or not looked at. */
export function changesWhatRuns(path: string, before: string | undefined, after: string | undefined): boolean {
  if (!isRunLater(path)) return false;
  if (basename(path).toLowerCase() !== "package.json") return true;
  const old = scriptsOf(before);
  const now = scriptsOf(after);
  return now === undefined || old !== now;
}
