// Opens the sandbox of one task, or the place outside that its permit names. It starts nothing in it.
import type { Sandbox, SandboxSpec } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { openProjectCaches } from "./caches/project-caches.ts";
import type { TakenInputs } from "./inputs/task-inputs.ts";
import type { TaskPlan } from "./open-task.ts";
import { openOutside, outsideMark } from "./outside.ts";
import type { TaskEgress } from "./task-egress.ts";
import type { TaskJournal } from "./task-journal.ts";
import { taskTemplate } from "./template-door.ts";

/** What was made for it. */
interface Provided {
  /** Undefined where nothing may leave. */
  readonly egress: TaskEgress | undefined;
  /** Undefined where nothing was given. */
  readonly inputs: TakenInputs | undefined;
}

async function specOf(plan: TaskPlan, journal: TaskJournal, { egress, inputs }: Provided): Promise<SandboxSpec> {
  const { parts, policy, projectDirectory, identity, environment } = plan;
  const { privateDirectory } = journal;
  const about = { project: projectDirectory, names: policy.caches, journal };
  const template = await taskTemplate(parts.layout, policy, journal);
  const caches = await openProjectCaches({ layout: parts.layout, nowMs: () => parts.clock.wallMs() }, about);
  return {
    taskId: identity.task,
    sandboxId: identity.sandbox,
    projectDirectory,
    privateDirectory,
    paths: policy.paths,
    environment,
    homeFiles: policy.environment.homeFiles,
    ...(caches === undefined ? {} : { caches }),
    ...(template === undefined ? {} : { template }),
    ...(inputs === undefined ? {} : { inputDirectory: inputs.directory }),
    limits: policy.limits,
    user: parts.user,
    nestedNamespaces: policy.nestedNamespaces,
    ...(egress === undefined ? {} : { egress: egress.endpoint }),
  };
}

/** The record of a sandbox that does not open. @throws always */
export async function refuseOpening({ record }: TaskPlan, egress: TaskEgress | undefined, cause: unknown): Promise<never> {
  const error =
    cause instanceof GloveboxError
      ? cause
      : new GloveboxError("SANDBOX_OPEN_FAILED", "run.open-failed", { values: { reason: String(cause) }, cause });
  // One that had not attached yet is nobody's to close but ours.
  await egress?.endpoint.close();
  await record.refused(error.code);
  await record.resultWithoutRun("refused");
  throw error;
}

/** Opens the sandbox or records why not; a failure leaves nothing. INVARIANT I-02 */
export async function openSandbox(plan: TaskPlan, journal: TaskJournal, provided: Provided): Promise<Sandbox> {
  const { parts, signal, identity, outside } = plan;
  if (outside !== undefined) {
    await journal.record({ kind: "process", name: outsideMark(identity.sandbox) });
    return openOutside(identity.sandbox, outside, parts.user);
  }
  try {
    const sandbox = await parts.boundary.open(await specOf(plan, journal, provided), {
      signal,
      journal: async (object) => {
        await journal.record(object);
        parts.step(`journal ${object.kind}`);
      },
    });
    provided.egress?.opened(sandbox);
    return sandbox;
  } catch (cause) {
    return refuseOpening(plan, provided.egress, cause);
  }
}
