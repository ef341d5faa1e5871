// Where this machine gets its packages from, as apt itself says it: nothing of it is known here. Pure but for the two questions.
import { readFileSync } from "node:fs";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { capture } from "../kit/spawn.ts";

export interface AptSettings {
  /** Lines of a sources.list: those of the distribution's own release, with its part `main`. */
  readonly sources: readonly string[];
  /** Options for apt: how it gets there. */
  readonly options: readonly string[];
  /** e.g. `bookworm` */
  readonly suite: string;
  readonly architecture: string;
}

const fields = ["REPO_URI", "RELEASE", "COMPONENT", "SIGNED_BY", "ARCHITECTURE"] as const;
export const targetFormat = fields.map((name) => `$(${name})`).join("\t");

/** One line for each repository and part. What apt does not know it writes as the name of the field. */
export function sourcesOf(targets: string, { suite, architecture }: Pick<AptSettings, "suite" | "architecture">): readonly string[] {
  const rows = targets.split("\n").map((line) => line.split("\t"));
  const lines = rows.flatMap(([uri = "", release = "", component = "", signedBy = "", built = ""]) => {
    // Those of others have releases of their own names.
    const isOwn = release === suite || release.startsWith(`${suite}-`) || release.startsWith(`${suite}/`);
    if (uri === "" || !isOwn || built !== architecture) return [];
    const options = [`arch=${architecture}`, ...(signedBy === "" || signedBy.startsWith("$(") ? [] : [`signed-by=${signedBy}`])];
    return [`deb [${options.join(" ")}] ${uri} ${release} ${component}`];
  });
  return [...new Set(lines)];
}

/** How to get there, and nothing that says what is trusted. */
const carried = /^Acquire::(?:https?::|Retries |ForceIPv[46] |Check-Valid-Until |Check-Date )/u;

export const optionsOf = (dump: string): readonly string[] =>
  dump.split("\n").filter((line) => carried.test(line) && !line.endsWith(' "";'));

function suiteOf(release: string): string | undefined {
  return /^VERSION_CODENAME="?([a-z]+)"?$/mu.exec(release)?.[1];
}

async function ask(program: string, args: readonly string[]): Promise<string> {
  const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
  const answer = await capture(`/usr/bin/${program}`, args, { environment }).catch(() => undefined);
  if (answer?.code === 0) return answer.stdout;
  throw new GloveboxError("TEMPLATE_UNBUILDABLE", "template.no-apt", { values: { program } });
}

function readRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return ""; // then there is no release, and nothing to build from
  }
}

/** @throws TEMPLATE_UNBUILDABLE where apt does not know this machine's own release */
export async function readAptSettings(): Promise<AptSettings> {
  const architecture = (await ask("dpkg", ["--print-architecture"])).trim();
  const targets = await ask("apt-get", ["indextargets", "--no-release-info", "--format", targetFormat, "Created-By: Packages"]);
  const options = optionsOf(await ask("apt-config", ["dump", "Acquire"]));
  const suite = suiteOf(readRelease()) ?? "";
  const sources = suite === "" ? [] : sourcesOf(targets, { suite, architecture });
  if (sources.length === 0) throw new GloveboxError("TEMPLATE_UNBUILDABLE", "template.no-sources", { values: { suite } });
  return { sources, options, suite, architecture };
}
