// The templates of one user, in the state directory: names/NAME.json says which tree a name means, trees/<id>/{manifest.jsonl,root/} holds it, and
// building/ what is being made. A tree comes by one rename, whole; what a dead build left is nobody's. INVARIANT I-02, I-09
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { SandboxTemplate } from "../contracts/boundary.ts";
import { GloveboxError, systemErrorCode } from "../contracts/glovebox-error.ts";
import { digestSchema } from "../contracts/ids.ts";
import type { TemplateCheck, TemplateEntry } from "../contracts/template-door.ts";
import { writeFileAtomically } from "../kit/atomic-file.ts";
import { sha256Digest } from "../kit/digest.ts";
import { lazily } from "../kit/lazily.ts";
import { ProcessLock } from "../kit/process-lock.ts";
import { compareEntries, glanceAt, lookThrough, type Manifest, parseManifest } from "./manifest.ts";
import { discardTree } from "./discard-tree.ts";

/** The directory of all of it, 0700. */
export interface TemplateStore {
  readonly directory: string;
  /** Of those that tasks have now. */
  readonly idsInUse: () => Promise<ReadonlySet<string>>;
}

export const namePattern = /^[a-z][a-z0-9-]{0,31}$/u;
const manifestFile = "manifest.jsonl";

const aboutSchema = lazily(() =>
  z.strictObject({
    format: z.literal(1),
    name: z.string().regex(namePattern),
    id: digestSchema,
    architecture: z.string(),
    built: z.string(),
    files: z.int().min(0),
    bytes: z.int().min(0),
    packages: z.array(z.string()),
    removed: z.array(z.string()),
  }),
);

/** Of Debian's names, that of this Node. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", ia32: "i386", arm: "armhf", ppc64: "ppc64el" };
export const ownArchitecture = architectures[process.arch] ?? process.arch;

const within = ({ directory }: TemplateStore, ...parts: readonly string[]): string => path.join(directory, ...parts);
const treeOf = (store: TemplateStore, id: string): string => within(store, "trees", id.replace("sha256:", ""));
const aboutOf = (store: TemplateStore, name: string): string => within(store, "names", `${name}.json`);
export const buildingOf = (store: TemplateStore): string => within(store, "building");

export function prepareStore(store: TemplateStore): void {
  for (const name of ["names", "trees", "building"]) mkdirSync(within(store, name), { recursive: true, mode: 0o700 });
}

const altered = (name: string, file: string): GloveboxError =>
  new GloveboxError("TEMPLATE_ALTERED", "template.altered", { values: { template: name, file } });

const unknown = (name: string): GloveboxError => new GloveboxError("TEMPLATE_UNKNOWN", "template.unknown", { values: { template: name } });

/** @throws TEMPLATE_UNKNOWN, TEMPLATE_ALTERED */
export function readEntry(store: TemplateStore, name: string): TemplateEntry {
  if (!namePattern.test(name)) throw unknown(name);
  let text: string;
  try {
    text = readFileSync(aboutOf(store, name), "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") throw unknown(name);
    throw altered(name, `names/${name}.json`);
  }
  try {
    const { format: _, ...entry } = aboutSchema().parse(JSON.parse(text));
    return entry;
  } catch {
    throw altered(name, `names/${name}.json`);
  }
}

const namesIn = (store: TemplateStore): readonly string[] =>
  existsSync(within(store, "names"))
    ? readdirSync(within(store, "names"))
        .flatMap((file) => (file.endsWith(".json") && !file.startsWith(".") ? [file.slice(0, -".json".length)] : []))
        .toSorted()
    : [];

export const listEntries = (store: TemplateStore): readonly TemplateEntry[] => namesIn(store).map((name) => readEntry(store, name));

/** The manifest is what the id says. @throws TEMPLATE_ALTERED */
function readManifest(store: TemplateStore, { name, id }: TemplateEntry): Manifest {
  const file = path.join(treeOf(store, id), manifestFile);
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch {
    throw altered(name, manifestFile);
  }
  const manifest = sha256Digest(text) === id ? parseManifest(text.toString("utf8")) : undefined;
  if (manifest === undefined) throw altered(name, manifestFile);
  return manifest;
}

/**
 * For a sandbox that is about to be opened.
 * @param hold tells the journal; a template that is removed meanwhile is found missing here, or is found in use there
 * @throws TEMPLATE_UNKNOWN, TEMPLATE_ALTERED, TEMPLATE_FOREIGN
 */
export async function takeTemplate(store: TemplateStore, name: string, hold: (id: string) => Promise<void>): Promise<SandboxTemplate> {
  const entry = readEntry(store, name);
  await hold(entry.id);
  const manifest = readManifest(store, entry);
  const { architecture } = manifest;
  if (architecture !== ownArchitecture) {
    const values = { template: name, architecture, machine: ownArchitecture };
    throw new GloveboxError("TEMPLATE_FOREIGN", "template.foreign", { values });
  }
  const directory = path.join(treeOf(store, entry.id), "root");
  const wrong = glanceAt(directory, manifest);
  if (wrong !== undefined) throw altered(name, wrong);
  return { name, id: entry.id, directory };
}

export async function verifyTemplate(store: TemplateStore, name: string): Promise<TemplateCheck> {
  const entry = readEntry(store, name);
  const { entries } = readManifest(store, entry);
  const root = path.join(treeOf(store, entry.id), "root");
  if (!existsSync(root)) throw altered(name, "root");
  return { name, id: entry.id, differences: compareEntries(entries, await lookThrough(root, false)) };
}

/** One at a time builds or removes. @throws STATE_BUSY */
export async function withStoreLock<Result>(store: TemplateStore, act: () => Promise<Result>, waitMs = 0): Promise<Result> {
  prepareStore(store);
  const lock = new ProcessLock(within(store, "lock"));
  try {
    const release = await lock.take(waitMs);
    if (release === undefined) throw new GloveboxError("STATE_BUSY", "template.busy", { values: { path: within(store, "lock") } });
    try {
      return await act();
    } finally {
      release();
    }
  } finally {
    lock.close();
  }
}

/** @param made `manifest.jsonl` is written here, beside `root` */
export interface MadeTree {
  readonly made: string;
  readonly manifest: string;
}

async function isWhole(tree: string, manifest: string): Promise<boolean> {
  try {
    const promised = parseManifest(readFileSync(path.join(tree, manifestFile), "utf8") === manifest ? manifest : "");
    return promised !== undefined && compareEntries(promised.entries, await lookThrough(path.join(tree, "root"), false)).length === 0;
  } catch {
    return false; // what cannot be looked through is not whole
  }
}

/** Under the lock: from now on the name means this tree. */
export async function keepTree(
  store: TemplateStore,
  entry: Omit<TemplateEntry, "id">,
  { made, manifest }: MadeTree,
): Promise<TemplateEntry> {
  const id = digestSchema.parse(sha256Digest(manifest));
  await writeFileAtomically(path.join(made, manifestFile), manifest, 0o600);
  const tree = treeOf(store, id);
  // One that is there already is kept where it is whole, because tasks may have it.
  if (existsSync(tree) && !(await isWhole(tree, manifest))) await discardTree(tree);
  if (!existsSync(tree)) renameSync(made, tree);
  const about = { format: 1, ...entry, id };
  await writeFileAtomically(aboutOf(store, entry.name), `${JSON.stringify(about)}\n`, 0o600);
  return { ...entry, id };
}

/** Under the lock: what dead builds left, and trees that no name means and no task has. */
export async function removeUnused(store: TemplateStore): Promise<void> {
  for (const name of readdirSync(buildingOf(store))) await discardTree(path.join(buildingOf(store), name));
  const meant = new Set(namesIn(store).map((name) => path.basename(aboutId(store, name))));
  for (const tree of readdirSync(within(store, "trees"))) {
    const id = `sha256:${tree}`;
    if (meant.has(tree) || (await store.idsInUse()).has(id)) continue;
    const away = path.join(buildingOf(store), `old-${tree}`);
    renameSync(within(store, "trees", tree), away);
    // A task that came meanwhile has told its journal before it looked.
    if ((await store.idsInUse()).has(id)) renameSync(away, within(store, "trees", tree));
    else await discardTree(away);
  }
}

/** What cannot be read means no tree. */
function aboutId(store: TemplateStore, name: string): string {
  try {
    return readEntry(store, name).id.replace("sha256:", "");
  } catch {
    return "-"; // whoever uses that name is told
  }
}

/** Under the lock. @throws TEMPLATE_UNKNOWN, STATE_BUSY; then none is removed */
export async function removeTemplates(store: TemplateStore, names: readonly string[]): Promise<readonly string[]> {
  const used = await store.idsInUse();
  for (const name of names) {
    if (!namesIn(store).includes(name)) throw unknown(name);
    if (used.has(`sha256:${aboutId(store, name)}`))
      throw new GloveboxError("STATE_BUSY", "template.in-use", { values: { template: name } });
  }
  for (const name of names) unlinkSync(aboutOf(store, name));
  await removeUnused(store);
  return names;
}
