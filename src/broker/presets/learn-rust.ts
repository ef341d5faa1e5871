// Reads cargo's configuration, lets cargo name the index that it knows by itself, and looks up where an index keeps its files.
import path from "node:path";
import { type CargoIndex, cargoIndexes } from "../../policy/policy.ts";
import type { PresetMachine } from "./preset-machine.ts";
import { filesAt, ownVariables, programFacts, projectFiles, requireProgram, type LearntFacts } from "./preset-parts.ts";

/** A package of nobody. `[workspace]`: cargo looks for no other manifest above it. */
const manifest =
  '[package]\nname = "question"\nversion = "0.0.0"\nedition = "2018"\n[lib]\npath = "lib.rs"\n[dependencies]\nanything = "*"\n[workspace]\n';

/** A port that nobody but root listens on, and root does not: cargo names the address that it could not reach. */
const nowhere = "http://127.0.0.1:9";

/** Without any configuration, so that what cargo names is its own. */
async function ownIndex(machine: PresetMachine, cargo: string): Promise<string> {
  const rustup = machine.environment["RUSTUP_HOME"] ?? path.join(machine.home, ".rustup");
  return machine.withFiles({ "Cargo.toml": manifest, "lib.rs": "" }, async (directory) => {
    const environment = {
      CARGO_HOME: path.join(directory, "home"),
      RUSTUP_HOME: rustup,
      CARGO_HTTP_PROXY: nowhere,
      CARGO_NET_RETRY: "0",
      CARGO_TERM_COLOR: "never",
    };
    const args = ["generate-lockfile", "--manifest-path", path.join(directory, "Cargo.toml")];
    return (await machine.ask({ program: cargo, args, environment })).stderr;
  });
}

/** One file of a repository: nothing but the commit, the tree and the file is asked for. Nobody is asked for a password. */
async function gitConfig(machine: PresetMachine, { address, certificates }: CargoIndex): Promise<string> {
  const git = await machine.find("git");
  if (git === undefined) return "";
  const authority = certificates === undefined ? {} : { GIT_SSL_CAINFO: certificates };
  const environment = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "/bin/false", ...authority };
  return machine.withFiles({}, async (directory) => {
    const repository = path.join(directory, "index.git");
    const clone = ["clone", "--quiet", "--bare", "--depth=1", "--filter=tree:0", "--", address, repository];
    const cloned = await machine.ask({ program: git, args: clone, environment });
    const show = ["--git-dir", repository, "cat-file", "blob", "HEAD:config.json"];
    return cloned.code === 0 ? (await machine.ask({ program: git, args: show, environment })).stdout : "";
  });
}

/** What cargo has kept of a sparse index, else what the index itself says. */
async function sparseConfig(machine: PresetMachine, cargoHome: string, { address, certificates }: CargoIndex): Promise<string> {
  const kept = path.join(cargoHome, "registry/index");
  const host = new URL(address).hostname;
  for (const name of await machine.list(kept)) {
    if (!name.startsWith(`${host}-`) || machine.isInProject(path.join(kept, name))) continue;
    const bytes = await machine.readBytes(path.join(kept, name, "config.json"), 65_536);
    if (bytes !== undefined) return bytes.toString();
  }
  return (await machine.fetchText(`${address}config.json`, certificates)) ?? "";
}

/** @throws PresetFault */
export async function learnRust(machine: PresetMachine): Promise<LearntFacts> {
  const cargo = await requireProgram(machine, "cargo");
  const { environment, notes } = ownVariables(machine, /^(?:CARGO_REGISTRIES_[A-Z0-9_]+_INDEX|CARGO_HTTP_CAINFO|CARGO_HOME)$/u);
  const cargoHome = environment["CARGO_HOME"] ?? path.join(machine.home, ".cargo");
  const [index, own, project] = await Promise.all([
    ownIndex(machine, cargo),
    filesAt(
      machine,
      "user",
      ["config.toml", "config"].map((name) => path.join(cargoHome, name)),
    ),
    projectFiles(machine, [".cargo/config.toml", ".cargo/config"]),
  ]);
  // Where both are there, cargo reads the one without an ending.
  const files = [...own.slice(-1), ...project];
  const facts = { answers: { index }, environment, files, ...programFacts(machine, [cargo]), notes };
  const configs = await Promise.all(
    cargoIndexes({ ...facts, consulted: [] }).map(async (asked) => {
      const text = asked.kind === "git" ? gitConfig(machine, asked) : sparseConfig(machine, cargoHome, asked);
      // An index that cannot be asked is one that has not said it: the reader notes that.
      return [`config.json of ${asked.address}`, await text.catch(() => "")] as const;
    }),
  );
  return { ...facts, answers: { index, ...Object.fromEntries(configs) } };
}
