// What ordinary tools must be able to do inside, listed once.
import { builds } from "./builds.ts";
import { files } from "./files.ts";
import { languages } from "./languages.ts";
import { packages } from "./packages.ts";
import { peers } from "./peers.ts";
import { shells, terminals } from "./shells.ts";
import type { ToolCase } from "./tool-case.ts";
import { versionControl } from "./version-control.ts";

export const toolCases: readonly ToolCase[] = [
  ...versionControl,
  ...packages,
  ...builds,
  ...languages,
  ...files,
  ...shells,
  ...terminals,
  ...peers,
];
