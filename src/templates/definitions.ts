// What templates can be built, as data: packages of the machine's own distribution. Where they come from is apt's configuration, not ours.

export interface TemplateDefinition {
  /** Of mmdebstrap: `essential` installs what Debian marks so; `extract` unpacks packages and runs none of their scripts. */
  readonly variant: "essential" | "extract";
  readonly packages: readonly string[];
  /** What of them is not kept: places from the top, with all below. */
  readonly leftOut?: readonly string[];
}

/** By name. */
export const templateDefinitions: Readonly<Record<string, TemplateDefinition>> = {
  base: { variant: "essential", packages: ["ca-certificates"] },
  // For data analysis in cells: there is no network in a container to install anything. Characters of Chinese, Japanese and Korean are in figures, too.
  data: {
    variant: "essential",
    packages: [
      "ca-certificates",
      "python3-ipykernel",
      "python3-pandas",
      "python3-numpy",
      "python3-matplotlib",
      "python3-openpyxl",
      "fonts-wqy-microhei",
    ],
    // Tests: one brings a private key, the others are a fifth of all.
    leftOut: ["tornado/test", "pandas/tests", "matplotlib/tests"].map((name) => `usr/lib/python3/dist-packages/${name}`),
  },
};
