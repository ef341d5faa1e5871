// What a person sees of the templates of containers: what they start from in the place of the host's own programs.

/** What a build is at. */
export type BuildStep = "lists" | "download" | "install" | "pack" | "unpack" | "scan" | "seal";

export interface TemplateEntry {
  readonly name: string;
  /** `sha256:` over its manifest: what it holds, byte for byte. */
  readonly id: string;
  /** As Debian says it. */
  readonly architecture: string;
  /** ISO 8601. */
  readonly built: string;
  readonly files: number;
  readonly bytes: number;
  /** `name version`, sorted. */
  readonly packages: readonly string[];
  /** What would have told one machine from others and was taken out; from the top. */
  readonly removed: readonly string[];
}

/** One place in which a tree is not what its manifest says. */
export interface TemplateDifference {
  /** From the top. */
  readonly path: string;
  readonly state: "altered" | "missing" | "added";
}

export interface TemplateCheck {
  readonly name: string;
  readonly id: string;
  /** The first, at most 100. */
  readonly differences: readonly TemplateDifference[];
}

export interface TemplateBuild {
  readonly name: string;
  readonly onStep: (step: BuildStep) => void;
}

export interface TemplateDoor {
  /** By name. */
  list(): Promise<readonly TemplateEntry[]>;
  /** @throws TEMPLATE_UNKNOWN, TEMPLATE_ALTERED */
  show(name: string): Promise<TemplateEntry>;
  /** Replaces the one of that name, once the new one is whole. @throws TEMPLATE_*, STATE_BUSY while another build runs; then nothing was kept */
  build(request: TemplateBuild): Promise<TemplateEntry>;
  /** @throws TEMPLATE_UNKNOWN, STATE_BUSY for one that a task has; then nothing was removed */
  remove(names: readonly string[]): Promise<readonly string[]>;
  /** Reads every byte. @throws TEMPLATE_UNKNOWN, TEMPLATE_ALTERED where its manifest cannot be trusted */
  verify(name: string): Promise<TemplateCheck>;
}
