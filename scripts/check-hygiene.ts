// Checks every text file for what must not be published: addresses, paths of one machine, notes to self, tests left out.
import { statSync } from "node:fs";
import path from "node:path";
import type { Check } from "./checks/finding.ts";
import { hygieneFindings } from "./checks/hygiene-rules.ts";
import { listFiles, readText } from "./checks/project-files.ts";
import { runAlone } from "./checks/run-alone.ts";

/** Bytes; larger files are data, and a text of this size would be noticed by other means. */
const largestText = 1 << 20;

/** The check's own test plants every violation. */
const plantedIn = "scripts/check-hygiene.test.ts";

export const hygieneCheck: Check = {
  name: "hygiene",
  run: (root) => {
    const files = listFiles(root, ["*", ".*", ".ci/**", "bench/**", "docs/**", "native/**", "scripts/**", "src/**", "test/**"]);
    const texts = files.filter((file) => file !== plantedIn && statSync(path.join(root, file)).size <= largestText);
    return texts.flatMap((file) => hygieneFindings(file, readText(root, file)));
  },
};

if (import.meta.main) await runAlone(hygieneCheck);
