// Attacks that want to run a program whose file a rule denies. A rule about commands judges the words that were asked for and holds nothing
// inside; what holds is that the file cannot be read, by whatever way it is to become a process.
import { chmod, copyFile } from "node:fs/promises";
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { hostHas } from "../harness/stages.ts";

/** A program of the system, under another name in the denied directory. It makes the file that it is given. */
const stageProgram: Attack["stage"] = async ({ ground }) => {
  const program = path.join(ground.project, "vault/tool");
  const proof = path.join(ground.out, "proof");
  await copyFile("/usr/bin/touch", program);
  await chmod(program, 0o755);
  return { arguments: [program, proof, ground.out], succeeded: () => hostHas(proof) };
};

const row = (name: string, sh: string): Attack => ({
  name,
  families: [47],
  program: { sh },
  heldBy: ["outer", "inner"],
  stage: stageProgram,
});

const loader = `for loader in /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.*; do [ -e "$loader" ] && break; done`;

export const deniedPrograms: readonly Attack[] = [
  row("starts a denied program by its name", `"$1" "$2"`),
  row("starts a denied program through the dynamic loader", `${loader}; "$loader" "$1" "$2"`),
  row("starts a copy of a denied program", `cp "$1" "$3/copy" && "$3/copy" "$2"`),
  row(
    "starts a denied program from memory",
    `exec python3 -c 'import os, sys
memory = os.memfd_create("tool"); os.write(memory, open(sys.argv[1], "rb").read()); os.execve(memory, ["tool", sys.argv[2]], {})' "$1" "$2"`,
  ),
];
