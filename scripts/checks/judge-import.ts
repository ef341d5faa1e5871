// Decides whether one file of src may import one specifier. Pure: the rules are data, the answer is a complaint or nothing.
import path from "node:path";
import { isTest } from "./project-files.ts";
import { boundaryRooms, innerWalls, openRooms, reservedBuiltins, roomRules, type RoomRule, rootRules, testRule } from "./walls-table.ts";

export interface Complaint {
  readonly problem: string;
  readonly fix: string;
}

/** The room of a file below src, e.g. `ledger`, `boundaries/process`, `main.ts`; undefined outside src. */
export function roomOf(file: string): string | undefined {
  const [source, first, second] = file.split("/");
  if (source !== "src" || first === undefined) return undefined;
  return first === "boundaries" && second !== undefined ? `${first}/${second}` : first;
}

export const frontOf = (room: string): string => `src/${room}/${path.posix.basename(room)}.ts`;

/** Conformance tests put a suite and a boundary together, as compose does for the product. */
function ruleOf(file: string, room: string): RoomRule | undefined {
  if (file.endsWith(".conformance.test.ts"))
    return { rooms: [...boundaryRooms, "contracts", "kit", "guard"], packages: [], builtins: "all" };
  return roomRules[room] ?? rootRules[room];
}

function judgeBuiltin(file: string, specifier: string, rule: RoomRule): Complaint | undefined {
  const owner = reservedBuiltins[specifier];
  if (owner !== undefined && owner !== file) return { problem: `imports ${specifier}`, fix: `Go through ${owner}, the only file that may` };
  const inTests: readonly string[] = testRule.builtins;
  if (rule.builtins === "all" || rule.builtins.includes(specifier) || (isTest(file) && inTests.includes(specifier))) return undefined;
  return { problem: `imports ${specifier}`, fix: "Let the caller hand in what it needs: this room does no input or output of its own" };
}

function judgePackage(file: string, specifier: string, rule: RoomRule): Complaint | undefined {
  const inTests: readonly string[] = testRule.packages;
  if (rule.packages.includes(specifier) || (isTest(file) && inTests.includes(specifier))) return undefined;
  const allowed = rule.packages.length === 0 ? "no package" : rule.packages.join(", ");
  return {
    problem: `imports package ${specifier}`,
    fix: `Do without: this room may use ${allowed} (an ADR line and scripts/checks/walls-table.ts change that)`,
  };
}

function judgeInnerWalls(file: string, target: string): Complaint | undefined {
  if (isTest(file)) return undefined;
  for (const { part, reason } of innerWalls) {
    const isInside = (name: string): boolean => part.some((place) => name === place || (place.endsWith("/") && name.startsWith(place)));
    if (isInside(file) && roomOf(file) === roomOf(target) && !isInside(target)) {
      return { problem: `imports ${target}, which lies outside ${part[0]}`, fix: `Write it anew on this side: ${reason}` };
    }
  }
  return undefined;
}

function judgeFile(file: string, target: string, rule: RoomRule): Complaint | undefined {
  const room = roomOf(file);
  const targetRoom = roomOf(target);
  if (targetRoom === undefined)
    return { problem: `imports ${target}`, fix: "Move what is needed into src: nothing there depends on files outside" };
  if (targetRoom === room) return judgeInnerWalls(file, target);
  if (targetRoom.startsWith("boundaries/") && !rule.rooms.includes(targetRoom)) {
    return {
      problem: `imports ${target}`,
      fix: "Take a Boundary of src/contracts/boundary.ts as an argument; src/compose.ts alone knows which exist",
    };
  }
  if (!rule.rooms.includes(targetRoom)) {
    const allowed = rule.rooms.length === 0 ? "no other room" : rule.rooms.join(", ");
    return { problem: `imports ${target}`, fix: `Take it as an argument or move it: ${room ?? file} may import ${allowed}` };
  }
  if (openRooms.has(targetRoom) || targetRoom.endsWith(".ts") || target === frontOf(targetRoom)) return undefined;
  return { problem: `imports ${target}`, fix: `Enter through ${frontOf(targetRoom)}` };
}

/**
 * @param file path below the repository, in src
 * @param specifier as written; undefined for a dynamic import of an expression
 */
export function judgeImport(file: string, specifier: string | undefined): Complaint | undefined {
  const room = roomOf(file);
  if (room === undefined) return undefined;
  const rule = ruleOf(file, room);
  if (rule === undefined)
    return { problem: `lies in room "${room}", which has no rule`, fix: "Add the room to scripts/checks/walls-table.ts" };
  if (specifier === undefined) return { problem: "imports an expression", fix: "Import a literal path: no wall can judge an expression" };
  if (specifier.startsWith("node:")) return judgeBuiltin(file, specifier, rule);
  if (!specifier.startsWith("."))
    return judgePackage(
      file,
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
      rule,
    );
  return judgeFile(file, path.posix.join(path.posix.dirname(file), specifier), rule);
}
