// Renders the cases x boundaries matrix for the documentation.

export interface MatrixColumn {
  readonly name: string;
  readonly deviations: readonly { readonly case: string; readonly reason: string }[];
}

/** Markdown. A cell says `yes`, or a number that leads to the reason below the table. */
export function renderMatrix(caseNames: readonly string[], columns: readonly MatrixColumn[]): string {
  const reasons: string[] = [];
  const cell = (column: MatrixColumn, name: string): string => {
    const deviation = column.deviations.find((one) => one.case === name);
    if (deviation === undefined) return "yes";
    reasons.push(`${column.name}, ${name}: ${deviation.reason}`);
    return `no (${reasons.length})`;
  };
  const rows = caseNames.map((name) => `| ${name} | ${columns.map((column) => cell(column, name)).join(" | ")} |`);
  const head = [`| case | ${columns.map(({ name }) => name).join(" | ")} |`, `| --- |${columns.map(() => " --- |").join("")}`];
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return `${[...head, ...rows].join("\n")}\n${notes.length === 0 ? "" : `\n${notes.join("\n")}\n`}`;
}
