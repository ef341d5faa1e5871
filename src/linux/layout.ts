// What the launcher is told: operations with their fields, and between them the command that it becomes. The bytes are those of native/launcher/layout.h.

/** An operation and its fields: native/launcher/operations.c has them all, docs/formats.md what they mean. */
export type LayoutOperation = readonly [name: string, ...fields: readonly string[]];

function field(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

/** @param command an absolute program and its arguments: what the launcher becomes. What follows it in a layout is done meanwhile. */
export const runOperation = (command: readonly string[]): LayoutOperation => ["run", String(command.length), ...command];

export function layoutText(operations: readonly LayoutOperation[]): string {
  return operations.flat().map(field).join("");
}
