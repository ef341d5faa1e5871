// The page of attacks x layers for the documents, from the same data that the suite proves.
import { type Attack, type Configuration, insideConfigurations, mustFail } from "./attack.ts";
import { elsewhere } from "./elsewhere.ts";
import { families } from "./families.ts";

const headings: Readonly<Record<Exclude<Configuration, "outside">, string>> = {
  none: "neither",
  outer: "outer only",
  inner: "inner only",
  both: "both",
};

const introduction = `# What holds which attack

Generated from \`test/escape/attacks.ts\`; the escape lane proves every cell (one wall and none as the ordinary user, as root in the long lane). Each attack first succeeds on the host without any boundary, then runs in a
sandbox with both walls, with one of them, and with neither; the host judges. *Outer* is bubblewrap: mounts, namespaces, no capabilities, and for root the
allocated uid. *Inner* is the guard: Landlock, seccomp, descriptors. **open** marks an attack that succeeds: with a layer taken away that is what shows that
the other one holds alone; in the last column it is a door that the note names.
`;

function noteOf(attack: Attack): string {
  if (attack.pending !== undefined) return `open until ${attack.pending}`;
  return attack.heldAnyway ?? attack.heldTogether ?? "";
}

const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

function rowOf(attack: Attack): string {
  const verdicts = insideConfigurations.map((name) => (mustFail(attack, name) ? "held" : "**open**"));
  return line([attack.name, attack.families.join(", "), ...verdicts, (attack.users ?? ["root", "ordinary"]).join(", "), noteOf(attack)]);
}

/** Markdown; ends with a newline. */
export function renderMatrix(attacks: readonly Attack[]): string {
  const columns = ["an attack that ...", "families", ...insideConfigurations.map((name) => headings[name]), "run as", "note"];
  const table = [line(columns), line(columns.map(() => "---")), ...attacks.map(rowOf)];
  const names = [...families].map(([number, what]) => line([String(number), what]));
  const others = elsewhere.map(({ number, what, tests }) => line([String(number), what, tests.map((test) => `\`${test}\``).join("; ")]));
  const tableOf = (heading: string, cells: readonly string[], lines: readonly string[]): string =>
    [heading, "", line(cells), line(cells.map(() => "---")), ...lines, ""].join("\n");
  return [
    [introduction, ...table, ""].join("\n"),
    tableOf("## Families", ["number", "what is tried"], names),
    tableOf("## Held by other tests", ["number", "what is tried", "tests"], others),
  ].join("\n");
}
