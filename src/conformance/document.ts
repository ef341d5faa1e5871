// The page that shows which boundary passes which case. The suite's tests prove that it tells the truth.
import { conformanceCases, renderMatrix } from "./conformance.ts";
import { deviationsOf } from "./deviations.ts";

/** Markdown, the same for the same cases and deviations. */
export function conformanceDocument(): string {
  const columns = Object.entries(deviationsOf).map(([name, deviations]) => ({ name, deviations }));
  const matrix = renderMatrix(
    conformanceCases.map(({ name }) => name),
    columns,
  );
  return `# Conformance\n\nGenerated from src/conformance. Every boundary runs every case; a boundary that does not pass one says why, and a\nreason that no longer holds fails the suite.\n\n${matrix}`;
}
