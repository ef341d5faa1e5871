// The room of templates: what a sandbox starts from. So far it only looks for what no template may hold; building one is to come.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { type ScanBounds, scanForSecrets } from "./scan-tree.ts";

export { type FoundSecret, type ScanBounds, scanForSecrets, type SecretScan } from "./scan-tree.ts";

/** A template is shared by everybody who starts from it. @throws TEMPLATE_HOLDS_SECRET with the first place, TEMPLATE_UNREADABLE */
export async function refuseSecrets(root: string, bounds?: ScanBounds): Promise<void> {
  const { found } = await scanForSecrets(root, bounds);
  const [first] = found;
  if (first === undefined) return;
  const { file, line, kind } = first;
  throw new GloveboxError("TEMPLATE_HOLDS_SECRET", "template.holds-secret", { values: { file, line, kind, count: found.length } });
}
