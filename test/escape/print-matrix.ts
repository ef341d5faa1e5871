// Prints the matrix page, or writes it where it is told: `node test/escape/print-matrix.ts [FILE]`.
import { writeFileSync } from "node:fs";
import { attacks } from "./attacks.ts";
import { renderMatrix } from "./harness/matrix.ts";

const page = renderMatrix(attacks);
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(page);
else writeFileSync(file, page);
