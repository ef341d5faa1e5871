// Builds a template: a Debian system from the machine's own repositories, of which only what a container shows is kept, which holds no secret and tells
// no machine from another. Either all of it is kept or nothing. INVARIANT I-02, I-07
import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { BuildStep, TemplateEntry } from "../contracts/template-door.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { readAptSettings } from "./apt-settings.ts";
import type { TemplateDefinition } from "./definitions.ts";
import { discardTree } from "./discard-tree.ts";
import { removeIdentity } from "./machine-identity.ts";
import { lookThrough, manifestText } from "./manifest.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
import { requireProgram, runBuilder } from "./run-builder.ts";
import { buildingOf, keepTree, prepareStore, removeUnused, type TemplateStore, withStoreLock } from "./template-store.ts";

export interface BuildRequest {
  readonly name: string;
  readonly definition: TemplateDefinition;
  readonly nowMs: number;
  readonly onStep: (step: BuildStep) => void;
}

/** Nobody reads them in a sandbox; licences are kept. */
const leftOut = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*/LC_MESSAGES/*", "/usr/share/lintian/*"];
const kept = ["/usr/share/doc/*/copyright"];
/** Makes /bin and the like links into /usr before anything is unpacked. Part of mmdebstrap. */
const mergedHook = "/usr/share/mmdebstrap/hooks/merged-usr";

const stepsOfLines: readonly (readonly [RegExp, BuildStep])[] = [
  [/^I: running apt-get update/u, "lists"],
  [/^I: downloading packages/u, "download"],
  [/^I: (?:installing|extracting)/u, "install"],
  [/^I: creating tarball/u, "pack"],
];

async function bootstrap(archive: string, temporary: string, { definition, onStep }: BuildRequest): Promise<string> {
  const mmdebstrap = requireProgram("mmdebstrap");
  const { sources, options, suite, architecture } = await readAptSettings();
  let last: BuildStep | undefined;
  const onLine = (line: string): void => {
    const step = stepsOfLines.find(([pattern]) => pattern.test(line))?.[1];
    if (step !== undefined && step !== last) onStep((last = step));
  };
  const mode = process.getuid?.() === 0 ? "root" : "unshare";
  const command = [
    mmdebstrap,
    `--mode=${mode}`,
    `--variant=${definition.variant}`,
    "--format=tar",
    `--architectures=${architecture}`,
    ...(existsSync(mergedHook) ? [`--hook-dir=${mergedHook}`] : []),
    "--dpkgopt=force-unsafe-io",
    ...leftOut.map((place) => `--dpkgopt=path-exclude=${place}`),
    ...kept.map((place) => `--dpkgopt=path-include=${place}`),
    ...options.map((option) => `--aptopt=${option.replace(/;$/u, "")}`),
    ...(definition.packages.length === 0 ? [] : [`--include=${definition.packages.join(",")}`]),
    suite,
    archive,
    "-",
  ] as const;
  await runBuilder({ command, temporary, stdin: `${sources.join("\n")}\n`, onLine });
  return architecture;
}

interface UnpackOptions {
  readonly temporary: string;
  readonly leftOut?: readonly string[] | undefined;
}

/** Nothing in it is anybody's but ours, and nothing is a device. */
async function unpack(archive: string, root: string, { temporary, leftOut = [] }: UnpackOptions): Promise<void> {
  const places = [`--file=${archive}`, `--directory=${root}`, "--anchored", "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*"];
  const unwanted = leftOut.map((place) => `--exclude=./${place}`);
  const command = [requireProgram("tar"), "--extract", "--no-same-owner", "--no-same-permissions", ...places, ...unwanted] as const;
  await runBuilder({ command, temporary });
}

/** @throws TEMPLATE_BUILD_FAILED: a container has one place for programs */
function refuseUnmerged(root: string): void {
  for (const name of ["bin", "sbin", "lib"]) {
    if (lstatSync(path.join(root, name), { throwIfNoEntry: false })?.isSymbolicLink() === true) continue;
    const values = { program: "mmdebstrap", code: 0, detail: `/${name} is not a link into /usr` };
    throw new GloveboxError("TEMPLATE_BUILD_FAILED", "template.build-failed", { values });
  }
}

/** `name version` of what dpkg has installed. */
export function packagesOf(status: string): readonly string[] {
  const paragraphs = status.split("\n\n").filter((paragraph) => /^Status: .* installed$/mu.test(paragraph));
  const field = (paragraph: string, name: string): string => new RegExp(`^${name}: (.*)$`, "mu").exec(paragraph)?.[1] ?? "";
  return paragraphs.map((paragraph) => `${field(paragraph, "Package")} ${field(paragraph, "Version")}`).toSorted();
}

function installedIn(root: string): readonly string[] {
  const file = path.join(root, "var/lib/dpkg/status");
  return existsSync(file) ? packagesOf(readFileSync(file, "utf8")) : [];
}

/** What was unpacked becomes a template's tree. @throws TEMPLATE_HOLDS_SECRET, TEMPLATE_UNREADABLE, TEMPLATE_BUILD_FAILED */
export async function sealTree(
  root: string,
  architecture: string,
  onStep: BuildRequest["onStep"],
): Promise<Omit<TemplateEntry, "id" | "name" | "built"> & { readonly manifest: string }> {
  const removed = await removeIdentity(root);
  refuseUnmerged(root);
  const packages = installedIn(root);
  onStep("scan");
  await refuseSecrets(root);
  onStep("seal");
  const entries = await lookThrough(root, true);
  const files = entries.flatMap((entry) => (entry[0] === "f" ? [entry[3]] : []));
  const bytes = files.reduce((sum, size) => sum + size, 0);
  return { architecture, files: files.length, bytes, packages, removed, manifest: manifestText({ architecture, entries }) };
}

async function makeTree(directory: string, request: BuildRequest): Promise<Omit<TemplateEntry, "id"> & { readonly manifest: string }> {
  const { name, nowMs, onStep } = request;
  const [temporary, made] = [path.join(directory, "tmp"), path.join(directory, "made")];
  const [archive, root] = [path.join(directory, "tree.tar"), path.join(made, "root")];
  for (const place of [temporary, made, root]) mkdirSync(place, { mode: 0o755 });
  const architecture = await bootstrap(archive, temporary, request);
  onStep("unpack");
  await unpack(archive, root, { temporary, leftOut: request.definition.leftOut });
  await discardTree(archive);
  return { name, built: new Date(nowMs).toISOString(), ...(await sealTree(root, architecture, onStep)) };
}

/** @throws TEMPLATE_*, STATE_BUSY; then nothing of it is left */
export async function buildTemplate(store: TemplateStore, request: BuildRequest): Promise<TemplateEntry> {
  prepareStore(store);
  return withStoreLock(store, async () => {
    await removeUnused(store);
    const directory = path.join(buildingOf(store), randomBytes(8).toString("hex"));
    try {
      mkdirSync(directory, { mode: 0o700 });
      const { manifest, ...entry } = await makeTree(directory, request);
      return await keepTree(store, entry, { made: path.join(directory, "made"), manifest });
    } catch (error) {
      const errno = systemErrorCode(error);
      if (errno !== "ENOSPC" && errno !== "EDQUOT") throw error;
      throw new GloveboxError("TEMPLATE_NO_ROOM", "template.no-room", { values: { directory }, cause: error });
    } finally {
      await discardTree(directory);
      await removeUnused(store);
    }
  });
}
