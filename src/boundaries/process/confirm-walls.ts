// What the guard claims of its walls, compared with what the host sees of its first process. INVARIANT I-02
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { networkOf, processStatus } from "../../linux/linux.ts";
import type { TestLayers } from "./layers.ts";

export interface PromisedWalls {
  readonly layers: TestLayers;
  /** How many processors the guard must be bound to; undefined: all. */
  readonly boundProcessors: number | undefined;
}

/** `0-1,4` -> 3 */
function countProcessors(list: string): number {
  const ranges = list.split(",").map((range) => range.split("-").map(Number));
  return ranges.reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
}

/** @throws WALL_UNAVAILABLE naming the first that is not there */
export function confirmWalls(guardPid: number, { layers, boundProcessors }: PromisedWalls): void {
  const status = processStatus(guardPid);
  const confirm = (wall: string, found: string | undefined, isGood: (value: string) => boolean): void => {
    if (found !== undefined && isGood(found)) return;
    throw new GloveboxError("WALL_UNAVAILABLE", "wall.unverified", { values: { wall, found: found ?? "nothing" } });
  };
  confirm("pid namespace", status.get("NSpid"), (value) => /\s1$/u.test(value));
  if (layers.outer) confirm("capabilities", status.get("CapEff"), (value) => /^0+$/u.test(value));
  if (layers.outer) confirm("capability bounds", status.get("CapBnd"), (value) => /^0+$/u.test(value));
  if (boundProcessors !== undefined) {
    confirm("processors", status.get("Cpus_allowed_list"), (value) => countProcessors(value) <= boundProcessors);
  }
  if (layers.outer) confirm("net namespace", networkOf(guardPid), (value) => value !== networkOf("self"));
  if (layers.inner) confirm("no_new_privs", status.get("NoNewPrivs"), (value) => value === "1");
}
