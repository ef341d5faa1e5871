// What commands try where the policy lets them make user, pid and net namespaces of their own: there they hold every capability.
import path from "node:path";
import type { Attack } from "../harness/attack.ts";
import { makeCanary } from "../harness/ground.ts";
import { changesMetadata, hostContent } from "../harness/stages.ts";
import { namespaces } from "./namespaces.ts";

/** What a mount namespace of one's own gives: the guard alone keeps commands from making one. Of mounts made outside the kernel lets go of none. */
const needsOwnMounts = new Set(["nested-userns-rename", "nested-userns-bind", "nested-userns-tree"]);

const behindMounts = namespaces
  .filter(({ name }) => !name.startsWith("makes a user namespace"))
  .map((attack): Attack => {
    const isFree = "c" in attack.program && needsOwnMounts.has(attack.program.c);
    return { ...attack, name: `${attack.name}, where namespaces may nest`, nests: true, heldBy: isFree ? ["inner"] : ["outer", "inner"] };
  });

const plantsFromOwnRoot = (name: string): Attack => ({
  name: `makes ${name} from a root directory of its own`,
  families: [10, 19],
  program: { c: "nested-root" },
  nests: true,
  heldBy: ["inner"],
  stage: ({ ground }) => {
    const canary = makeCanary();
    const target = path.join(ground.out, name);
    return {
      arguments: ["write", ground.out, `/${name}`, canary],
      succeeded: async () => (await hostContent(target))?.includes(canary) === true,
    };
  },
});

export const nestedNamespaces: readonly Attack[] = [
  ...behindMounts,
  {
    name: "gives a file of the write root capabilities as root of a user namespace of its own",
    families: [10, 15],
    program: { c: "nested-capability" },
    nests: true,
    heldBy: ["inner"],
    stage: changesMetadata("home/project/out/mine.txt"),
  },
  plantsFromOwnRoot(".git/hooks/pre-commit"),
  plantsFromOwnRoot(".bashrc"),
  {
    name: "leaves a root directory of its own and reads a denied file",
    families: [1, 10],
    program: { c: "nested-root" },
    nests: true,
    heldBy: ["outer", "inner"],
    stage: ({ ground }) => {
      const target = path.join(ground.home, ".ssh/id_ed25519");
      return {
        arguments: ["leave", ground.out, target],
        succeeded: ({ output }) => output.includes(ground.canaryOf(target)),
      };
    },
  },
];
