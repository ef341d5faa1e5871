// What the container of `cell run` starts from: what was named, else the template `data`, and nothing in its place.
import type { Door, PolicySelection } from "../../contracts/door.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";

const usual = "data";

/** @param ownPrograms this machine's own, where nothing is named @throws TEMPLATE_UNKNOWN, POLICY_* */
export async function inContainer(
  door: Pick<Door, "policy" | "templates">,
  selection: PolicySelection,
  { ownPrograms }: { readonly ownPrograms: boolean },
): Promise<PolicySelection> {
  const { overrides = {} } = selection;
  const chosen: PolicySelection = { ...selection, overrides: { ...overrides, boundary: "container" } };
  const { template } = await door.policy(chosen);
  if (template !== undefined || ownPrograms) return chosen;
  const built = await door.templates.list();
  if (!built.some(({ name }) => name === usual))
    throw new GloveboxError("TEMPLATE_UNKNOWN", "cell.no-template", { values: { template: usual } });
  const given = overrides["container"];
  const container = { ...(typeof given === "object" ? given : {}), template: usual };
  return { ...chosen, overrides: { ...chosen.overrides, container } };
}
