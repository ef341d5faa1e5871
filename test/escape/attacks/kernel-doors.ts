// Attacks on doors of the kernel that a sandbox has no need of. The proof is a file in the write root that only the opened door could have made.
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { uniqueWord } from "../harness/peers.ts";
import { hostContent, makesFile, provesWith } from "../harness/stages.ts";

/** Namespaces and mounts do not take system calls away: only the seccomp filter does. */
const onlyFilter = ["inner"] as const;
const made = makesFile("home/project/out/made");

const terminalInput =
  (form: "plain" | "high"): Attack["stage"] =>
  ({ ground }) => {
    const proof = path.join(ground.out, "proof");
    return { arguments: [proof, form], succeeded: async () => ((await hostContent(proof)) ?? "").includes("typed by the attacker") };
  };

const keepsKey: Attack["stage"] = (scene) => {
  const name = uniqueWord();
  return provesWith(name, () => [name])(scene);
};

export const kernelDoors: readonly Attack[] = [
  {
    name: "types into its own terminal (TIOCSTI)",
    families: [42],
    program: { c: "push-terminal-input" },
    terminal: true,
    absentWhen: ["EIO"],
    heldBy: onlyFilter,
    stage: terminalInput("plain"),
  },
  {
    name: "types into its own terminal with high bits in the request number",
    families: [42],
    program: { c: "push-terminal-input" },
    terminal: true,
    absentWhen: ["EIO"],
    heldBy: onlyFilter,
    stage: terminalInput("high"),
  },
  {
    name: "creates a file through io_uring",
    families: [43],
    program: { c: "io-uring-create" },
    absentWhen: ["ENOSYS", "EPERM"],
    heldBy: onlyFilter,
    stage: made,
  },
  {
    name: "keeps a key in the kernel",
    families: [45],
    program: { c: "keyring-store" },
    absentWhen: ["ENOSYS"],
    heldBy: onlyFilter,
    stage: keepsKey,
  },
  {
    name: "opens a performance counter",
    families: [45],
    program: { c: "perf-measure" },
    absentWhen: ["ENOSYS", "EACCES", "ENOENT"],
    heldBy: onlyFilter,
    stage: provesWith("counted"),
  },
  {
    name: "handles its own page faults",
    families: [45],
    program: { c: "userfault-handle" },
    absentWhen: ["ENOSYS", "EPERM"],
    heldBy: onlyFilter,
    stage: provesWith("handled"),
  },
  {
    name: "makes a BPF map",
    families: [45],
    users: ["root"],
    program: { c: "bpf-map" },
    absentWhen: ["ENOSYS"],
    // Unprivileged BPF is off in Debian's kernels, and the outer wall leaves no capability.
    heldBy: ["outer", "inner"],
    stage: provesWith("mapped"),
  },
  {
    name: "creates a file through the 32-bit system call entry",
    families: [46],
    program: { c: "int80-create" },
    absentWhen: ["ENOSYS"],
    heldBy: onlyFilter,
    stage: made,
  },
  {
    name: "creates a file through the x32 system call numbers",
    families: [46],
    program: { c: "x32-create" },
    absentWhen: ["ENOSYS"],
    heldBy: onlyFilter,
    stage: made,
  },
  {
    name: "writes outside from a program that exists only in memory",
    families: [47],
    program: { c: "memfd-execute" },
    heldBy: ["outer", "inner"],
    stage: makesFile("outside/from-memory.txt"),
  },
  {
    name: "opens a socket to the hypervisor",
    families: [61],
    program: { c: "vsock-open" },
    absentWhen: ["EAFNOSUPPORT"],
    heldBy: onlyFilter,
    stage: provesWith("bound in the machine"),
  },
];
