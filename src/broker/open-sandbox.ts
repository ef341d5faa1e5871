// Opens the sandbox of one admitted action, or the place outside that its permit names. It starts nothing in it.
import type { Sandbox, SandboxSpec } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Action } from "./admit.ts";
import { openOutside, outsideMark } from "./outside.ts";
import type { TaskJournal } from "./task-journal.ts";

function specOf({ parts, policy, request, identity, environment, egress }: Action, journal: TaskJournal): SandboxSpec {
  return {
    taskId: identity.task,
    sandboxId: identity.sandbox,
    projectDirectory: request.policy.projectDirectory,
    privateDirectory: journal.privateDirectory,
    paths: policy.paths,
    environment,
    homeFiles: policy.environment.homeFiles,
    limits: policy.limits,
    user: parts.user,
    nestedNamespaces: policy.nestedNamespaces,
    ...(egress === undefined ? {} : { egress: egress.endpoint }),
  };
}

/** Opens the sandbox or records why not; a failure leaves nothing. INVARIANT I-02 */
export async function openSandbox(action: Action, journal: TaskJournal): Promise<Sandbox> {
  const { parts, record, io, identity, outside } = action;
  if (outside !== undefined) {
    await journal.record({ kind: "process", name: outsideMark(identity.sandbox) });
    return openOutside(identity.sandbox, outside, parts.user);
  }
  try {
    const sandbox = await parts.boundary.open(specOf(action, journal), {
      signal: io.signal,
      journal: async (object) => {
        await journal.record(object);
        parts.step(`journal ${object.kind}`);
      },
    });
    action.egress?.opened(sandbox);
    return sandbox;
  } catch (cause) {
    const error =
      cause instanceof GloveboxError
        ? cause
        : new GloveboxError("SANDBOX_OPEN_FAILED", "run.open-failed", { values: { reason: String(cause) }, cause });
    // One that had not attached yet is nobody's to close but ours.
    await action.egress?.endpoint.close();
    await record.refused(error.code);
    await record.resultWithoutRun("refused");
    throw error;
  }
}
