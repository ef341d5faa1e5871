// Credentials that another tool hides or masks: none of them is inside a sandbox. What it would put in their place at the proxy is not built.
import type { PolicyDocument } from "../../contracts/policy-document.ts";
import { builtInValues } from "../layer-values.ts";
import type { KeyPath } from "../key-path.ts";
import { matchesName } from "../environment-rules.ts";
import { type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";
import type { CredentialSettings } from "./sandbox-settings.ts";

type Environment = Pick<NonNullable<PolicyDocument["environment"]>, "pass">;

interface ImportedCredentials {
  /** To be denied reading. */
  readonly files: readonly Entry[];
  readonly environment: Environment;
}

const idle = ["allowPlaintextInject", "awsPairs", "sigv4"].map((name): IdleSetting => {
  return { path: [name], kind: "inert", reason: "import.reason.inject" };
});

/** @param at where `credentials` stands */
export function importCredentials(draft: ImportDraft, settings: CredentialSettings | undefined, at: KeyPath): ImportedCredentials {
  const { files = [], envVars = [] } = settings ?? {};
  for (const [list, items] of Object.entries({ files, envVars })) {
    for (const [index, { mode }] of items.entries())
      if (mode === "mask") draft.note("stricter", [...at, list, index, "mode"], "import.reason.mask");
  }
  noteIdle(draft, settings, idle, at);
  const names = envVars.map(({ name }) => name);
  // Whatever the list of the user's own file says: a complete list is written, without what would pass a hidden name.
  const pass = builtInValues.pass.filter((pattern) => !names.some((name) => matchesName(pattern, name)));
  return {
    files: files.map(({ path }, index) => ({ text: path, path: [...at, "files", index, "path"] })),
    environment: names.length === 0 ? {} : { pass: [...pass] },
  };
}
