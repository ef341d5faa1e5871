// `glovebox template build NAME`: makes what containers may start from, out of packages of this machine's own distribution.
import { printableJson } from "../../kit/printable-json.ts";
import { showBytes } from "../../kit/show-quantity.ts";
import type { BuildStep } from "../../contracts/template-door.ts";
import type { CliCommand } from "../command.ts";

const stepKeys: Readonly<Record<BuildStep, string>> = {
  lists: "cli.template-build.step.lists",
  download: "cli.template-build.step.download",
  install: "cli.template-build.step.install",
  pack: "cli.template-build.step.pack",
  unpack: "cli.template-build.step.unpack",
  scan: "cli.template-build.step.scan",
  seal: "cli.template-build.step.seal",
};

export const templateBuildCommand: CliCommand = {
  words: ["template", "build"],
  summary: "cli.template-build.summary",
  synopsis: "NAME",
  options: [],
  arguments: { kind: "operands", minimum: 1, maximum: 1 },
  examples: [{ line: "glovebox template build base", about: "cli.template-build.example" }],
  notes: ["cli.template-build.note-one", "cli.template-build.note-two"],
  execute: async (context, { operands: [name = ""] }) => {
    const { stdout, stderr, text } = context;
    const { templates } = await context.door();
    let shown: Promise<void> = Promise.resolve();
    const entry = await templates.build({
      name,
      onStep: (step) => {
        // In their order; a closed pipe is told at the end.
        shown = shown.then(() => stderr.line(text({ key: stepKeys[step] })));
        shown.catch(() => {});
      },
    });
    await shown;
    if (context.isJson) await stdout.write(printableJson({ template: entry }));
    else {
      const values = { template: name, id: entry.id, files: entry.files, size: showBytes(entry.bytes) };
      await stdout.line(text({ key: "cli.template-build.built", values }));
    }
    return 0;
  },
};
