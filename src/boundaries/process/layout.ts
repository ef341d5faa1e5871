// What the launcher is told: operations with their fields, and the command that it becomes. The bytes are those of native/launcher/layout.h.

/** An operation and its fields: native/launcher/operations.c has them all, docs/formats.md what they mean. */
export type LayoutOperation = readonly [name: string, ...fields: readonly string[]];

export interface Layout {
  readonly operations: readonly LayoutOperation[];
  /** An absolute program and its arguments. */
  readonly command: readonly string[];
}

function field(text: string): string {
  return `${Buffer.byteLength(text)}:${text},`;
}

export function layoutText({ operations, command }: Layout): string {
  return [...operations.flat(), "run", ...command].map(field).join("");
}
