// The table of attacks x layers for the documents, from the same data that the suite proves.
import { type Attack, insideConfigurations, mustFail } from "./attack.ts";

const headings = { none: "neither", outer: "mounts and namespaces only", inner: "Landlock and seccomp only", both: "both" } as const;

function usersOf(attack: Attack): string {
  return (attack.users ?? ["root", "ordinary"]).join(", ");
}

function noteOf(attack: Attack): string {
  if (attack.pending !== undefined) return `open until: ${attack.pending}`;
  return attack.heldAnyway ?? "";
}

/** Markdown, one row an attack, in the order given; ends with a newline. */
export function renderMatrix(attacks: readonly Attack[]): string {
  const columns = ["an attack that ...", "families", ...insideConfigurations.map((name) => headings[name]), "run as", "note"];
  const rows = attacks.map((attack) => [
    attack.name,
    attack.families.join(", "),
    ...insideConfigurations.map((name) => (mustFail(attack, name) ? "fails" : "**succeeds**")),
    usersOf(attack),
    noteOf(attack),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line), ""].join("\n");
}
