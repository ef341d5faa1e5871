// Which Debian packages this machine lacks, judged by what they would bring, and how to install them in one transaction.
// Works on Debian 12 and 13; elsewhere the refusal names the packages.
// @ts-check
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { lastLogLines, machineEnvironment, runLogged } from "./run-logged.mjs";
import { SetupError } from "./setup-error.mjs";

/** Only system directories count: a sandbox shows no others, and PATH belongs to the caller. */
const directories = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name */
export const findProgram = (name) => directories.map((directory) => path.join(directory, name)).find((file) => isExecutable(file));

/** @param {string} name */
const program = (name) => () => findProgram(name) !== undefined;

const hasStaticLibc = () => {
  const places = ["x86_64-linux-gnu", "aarch64-linux-gnu", "../lib64", "."].map((name) => path.join("/usr/lib", name, "libc.a"));
  return existsSync("/usr/include/stdio.h") && places.some((file) => existsSync(file));
};

const hasFuzzerRuntime = () => {
  const clang = findProgram("clang");
  if (clang === undefined) return false;
  const answer = spawnSync(clang, ["-print-resource-dir"], { encoding: "utf8" });
  const library = path.join(answer.stdout.trim(), "lib");
  if (answer.status !== 0 || !existsSync(library)) return false;
  return readdirSync(library, { recursive: true }).some((file) => String(file).includes("libclang_rt.fuzzer"));
};

/** Debian keeps the part of Python that puts pip into a new environment in a package of its own. */
const hasEnsurepip = () => {
  const names = existsSync("/usr/lib") ? readdirSync("/usr/lib").filter((name) => /^python3\.\d+$/u.test(name)) : [];
  return names.some((name) => existsSync(path.join("/usr/lib", name, "ensurepip/__init__.py")));
};

const hasKernel = () => existsSync("/usr/lib/python3/dist-packages/ipykernel/__init__.py");
const hasRequests = () => existsSync("/usr/lib/python3/dist-packages/requests/__init__.py");

/** The compiler's run-time library carries clang's version in its name. */
function fuzzerPackage() {
  const clang = findProgram("clang");
  const said = clang === undefined ? "" : spawnSync(clang, ["--version"], { encoding: "utf8" }).stdout;
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const debian = /^ID=debian$/mu.test(release) ? /^VERSION_ID="?(\d+)/mu.exec(release)?.[1] : undefined;
  const byRelease = new Map([
    ["12", "14"],
    ["13", "19"],
  ]);
  const version = /version (\d+)\./u.exec(said)?.[1] ?? byRelease.get(debian ?? "");
  return version === undefined ? "libclang-rt-dev" : `libclang-rt-${version}-dev`;
}

/** @type {readonly { name: string | (() => string), present: () => boolean, forTests?: true }[]} */
const packages = [
  { name: "bubblewrap", present: program("bwrap") },
  { name: "gcc", present: program("gcc") },
  { name: "make", present: program("make") },
  { name: "libc6-dev", present: hasStaticLibc },
  { name: "python3", present: program("python3"), forTests: true },
  { name: "git", present: program("git"), forTests: true },
  { name: "clang", present: program("clang"), forTests: true },
  { name: fuzzerPackage, present: hasFuzzerRuntime, forTests: true },
  { name: "util-linux", present: () => ["unshare", "setpriv", "runuser"].every((name) => findProgram(name) !== undefined), forTests: true },
  { name: "iproute2", present: program("ip"), forTests: true },
  { name: "procps", present: program("ps"), forTests: true },
  { name: "strace", present: program("strace"), forTests: true },
  { name: "passwd", present: program("useradd"), forTests: true },
  // Container runtimes: whoever asks for a container is told which one to install.
  { name: "runc", present: program("runc"), forTests: true },
  { name: "crun", present: program("crun"), forTests: true },
  { name: "runsc", present: program("runsc"), forTests: true },
  // What builds templates; an ordinary user's, with uidmap. Likewise.
  { name: "mmdebstrap", present: program("mmdebstrap"), forTests: true },
  { name: "uidmap", present: program("newuidmap"), forTests: true },
  // The kernel of code cells, where a container starts from this machine's programs.
  { name: "python3-ipykernel", present: hasKernel, forTests: true },
  // Ordinary tools that must work behind the wall: test/escape/ordinary-tools.
  { name: "python3-venv", present: hasEnsurepip, forTests: true },
  { name: "zsh", present: program("zsh"), forTests: true },
  { name: "fish", present: program("fish"), forTests: true },
  { name: "tmux", present: program("tmux"), forTests: true },
  { name: "vim", present: program("vim"), forTests: true },
  { name: "less", present: program("less"), forTests: true },
  { name: "rsync", present: program("rsync"), forTests: true },
  { name: "sqlite3", present: program("sqlite3"), forTests: true },
  { name: "golang-go", present: program("go"), forTests: true },
  { name: "cargo", present: () => findProgram("cargo") !== undefined && findProgram("rustc") !== undefined, forTests: true },
  // Package managers that presets follow: test/fixtures/packages.
  { name: "npm", present: program("npm"), forTests: true },
  { name: "python3-pip", present: program("pip3"), forTests: true },
  { name: "maven", present: program("mvn"), forTests: true },
  // The test internet and the clients in it: test/fixtures/internet.
  { name: "dnsmasq-base", present: program("dnsmasq"), forTests: true },
  { name: "tcpdump", present: program("tcpdump"), forTests: true },
  { name: "squid", present: program("squid"), forTests: true },
  { name: "tinyproxy-bin", present: program("tinyproxy"), forTests: true },
  { name: "microsocks", present: program("microsocks"), forTests: true },
  { name: "dante-server", present: program("danted"), forTests: true },
  { name: "dropbear-bin", present: program("dropbear"), forTests: true },
  { name: "openssl", present: program("openssl"), forTests: true },
  { name: "openssh-client", present: program("ssh"), forTests: true },
  { name: "curl", present: program("curl"), forTests: true },
  { name: "wget", present: program("wget"), forTests: true },
  { name: "python3-requests", present: hasRequests, forTests: true },
  { name: "default-jdk-headless", present: program("javac"), forTests: true },
  { name: "chromium", present: program("chromium"), forTests: true },
];

/** @param {boolean} forTests */
export function missingPackages(forTests) {
  const wanted = packages.filter((row) => forTests || row.forTests !== true);
  return wanted.filter((row) => !row.present()).map((row) => (typeof row.name === "string" ? row.name : row.name()));
}

const aptOptions = ["-o", "DPkg::Lock::Timeout=300"];

/** @param {readonly string[]} names */
export const commandToShow = (names) => `apt-get update && apt-get install -y --no-install-recommends ${names.join(" ")}`;

/**
 * How this process may become root for apt: the words to put before the command.
 * @param {readonly string[]} names
 * @param {boolean} onTerminal
 */
export function rootPrefix(names, onTerminal) {
  const values = { packages: names.join(" ") };
  if (findProgram("apt-get") === undefined) throw new SetupError("setup.no-apt", values);
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram("sudo");
  if (sudo !== undefined && spawnSync(sudo, ["-n", "true"], { stdio: "ignore" }).status === 0) return [sudo, "-n"];
  if (sudo !== undefined && onTerminal) return [sudo];
  throw new SetupError("setup.not-root", { ...values, command: commandToShow(names) });
}

/**
 * @param {import("./context.mjs").SetupContext} context
 * @param {readonly string[]} names
 * @param {readonly string[]} prefix
 */
export function installPackages(context, names, prefix) {
  const environment = machineEnvironment(context.environment);
  /** @param {readonly string[]} args */
  const apt = (args) => {
    // Tests start their servers themselves: no package may start one now.
    const settings = ["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "SYSTEMD_OFFLINE=1"];
    const command = [...prefix, "/usr/bin/env", ...settings, "apt-get", ...aptOptions, ...args];
    return runLogged(context, command, { environment, terminal: prefix.length === 1 });
  };
  const install = ["install", "-y", "--no-install-recommends", ...names];
  // The package lists are fetched only when the lists at hand do not do: a fresh machine has none, an old one has stale addresses.
  if (apt(install) || (apt(["update"]) && apt(install))) return;
  throw new SetupError("setup.apt-failed", { packages: names.join(" "), command: commandToShow(names) }, lastLogLines(context));
}
