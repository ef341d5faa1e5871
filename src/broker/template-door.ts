// Templates for people and for tasks: a build and a removal are recorded, and a task's journal says what it starts from. INVARIANT I-11, I-16
import { readdirSync } from "node:fs";
import path from "node:path";
import type { SandboxTemplate } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { digestSchema } from "../contracts/ids.ts";
import type { Ledger } from "../contracts/ledger.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { TemplateBuild, TemplateDoor, TemplateEntry } from "../contracts/template-door.ts";
import type { TemplateStore } from "../templates/templates.ts";
import type { StateLayout } from "./state-layout.ts";
import { readTaskJournals, type TaskJournal } from "./task-journal.ts";

type Places = Pick<StateLayout, "templates" | "tasks">;

/** Only who asks for one needs the room. */
const openRoom = () => import("../templates/templates.ts");

export function templateStore({ templates, tasks }: Places): TemplateStore {
  const idsInUse = async (): Promise<ReadonlySet<string>> =>
    new Set((await readTaskJournals(tasks)).flatMap(({ template }) => template ?? []));
  return { directory: templates, idsInUse };
}

/** Undefined where the policy names none. @throws TEMPLATE_UNKNOWN, TEMPLATE_ALTERED, TEMPLATE_FOREIGN */
export async function taskTemplate(
  places: Places,
  { boundary, template }: Pick<CompiledPolicy, "boundary" | "template">,
  journal: Pick<TaskJournal, "startFrom">,
): Promise<SandboxTemplate | undefined> {
  if (boundary !== "container" || template === undefined) return undefined;
  const { takeTemplate } = await openRoom();
  return takeTemplate(templateStore(places), template, (id) => journal.startFrom(id));
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch {
    return true; // nothing was ever built; what cannot be read is said by whoever builds
  }
}

/** What a build that was killed left. Not while another one runs: that is its own to remove. */
export async function reapBuilds(places: Places): Promise<void> {
  if (isEmpty(path.join(places.templates, "building"))) return;
  const { removeUnused, withStoreLock } = await openRoom();
  const store = templateStore(places);
  await withStoreLock(store, () => removeUnused(store)).catch((error: unknown) => {
    if (!(error instanceof GloveboxError && error.code === "STATE_BUSY")) throw error;
  });
}

type Room = Awaited<ReturnType<typeof openRoom>>;

function definitionOf({ templateDefinitions }: Room, name: string): Room["templateDefinitions"][string] {
  const definition = Object.hasOwn(templateDefinitions, name) ? templateDefinitions[name] : undefined;
  if (definition !== undefined) return definition;
  const names = Object.keys(templateDefinitions).join(", ");
  throw new GloveboxError("TEMPLATE_UNKNOWN", "template.undefined", { values: { template: name, names } });
}

interface DoorParts {
  readonly layout: Places;
  readonly nowMs: () => number;
  readonly ready: () => Promise<Ledger>;
}

async function recordedBuild({ layout, nowMs, ready }: DoorParts, { name, onStep }: TemplateBuild): Promise<TemplateEntry> {
  const room = await openRoom();
  const definition = definitionOf(room, name);
  const ledger = await ready();
  await ledger.append({ type: "template.built", body: { name, outcome: "begun" } }, "synced");
  try {
    const entry = await room.buildTemplate(templateStore(layout), { name, definition, nowMs: nowMs(), onStep });
    const { id, architecture, files, bytes, packages } = entry;
    const found = { template: digestSchema.parse(id), architecture, files, bytes, packages: packages.length };
    await ledger.append({ type: "template.built", body: { name, outcome: "done", ...found } }, "kernel");
    return entry;
  } catch (error) {
    const code = error instanceof GloveboxError ? error.code : "INTERNAL";
    await ledger.append({ type: "template.built", body: { name, outcome: "failed", code } }, "kernel");
    throw error;
  } finally {
    await ledger.seal();
  }
}

export function templateDoor(parts: DoorParts): TemplateDoor {
  const store = templateStore(parts.layout);
  const reading = async <Result>(read: (room: Room) => Result): Promise<Awaited<Result>> => {
    await parts.ready();
    return await read(await openRoom());
  };
  return {
    list: () => reading((room) => room.listEntries(store)),
    show: (name) => reading((room) => room.readEntry(store, name)),
    verify: (name) => reading((room) => room.verifyTemplate(store, name)),
    build: (request) => recordedBuild(parts, request),
    remove: async (names) => {
      const ledger = await parts.ready();
      const { removeTemplates, withStoreLock } = await openRoom();
      const removed = await withStoreLock(store, () => removeTemplates(store, names));
      for (const name of removed) await ledger.append({ type: "template.removed", body: { name } }, "kernel");
      await ledger.seal();
      return removed;
    },
  };
}
