// A template is shared by everybody who starts from it: one that holds a secret is refused. INVARIANT I-07
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { type ScanBounds, scanForSecrets } from "./scan-tree.ts";

/** @throws TEMPLATE_HOLDS_SECRET with the first place, TEMPLATE_UNREADABLE */
export async function refuseSecrets(root: string, bounds?: ScanBounds): Promise<void> {
  const { found } = await scanForSecrets(root, bounds);
  const [first] = found;
  if (first === undefined) return;
  const { file, line, kind } = first;
  throw new GloveboxError("TEMPLATE_HOLDS_SECRET", "template.holds-secret", { values: { file, line, kind, count: found.length } });
}
