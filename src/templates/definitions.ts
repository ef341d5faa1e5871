// What templates can be built, as data: packages of the machine's own distribution. Where they come from is apt's configuration, not ours.

export interface TemplateDefinition {
  /** Of mmdebstrap: `essential` installs what Debian marks so; `extract` unpacks packages and runs none of their scripts. */
  readonly variant: "essential" | "extract";
  readonly packages: readonly string[];
}

/** By name. */
export const templateDefinitions: Readonly<Record<string, TemplateDefinition>> = {
  base: { variant: "essential", packages: ["ca-certificates"] },
};
