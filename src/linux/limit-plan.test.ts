// Which mechanism keeps which limit, for machines that differ.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limitNames, type Limits } from "../contracts/limits.ts";
import { resources } from "../guard/guard.ts";
import type { Cgroup } from "./cgroups.ts";
import { type LimitPlan, planLimits } from "./limit-plan.ts";
import { MemoryEstimate } from "./memory-estimate.ts";

const limits: Limits = {
  cpuMs: 10_500,
  cpuCores: 2,
  memoryBytes: 2 ** 30,
  processes: 100,
  diskBytes: 2 ** 32,
  openFiles: 64,
  outputBytes: 1,
  returnedBytes: 1,
  wallMs: 1,
  denials: 1,
};
const group = (...controllers: Cgroup["controllers"]): Cgroup => ({
  version: 2,
  controllers,
  directory: "/c/x",
  joinFile: "/c/x/cgroup.procs",
});
const all = [group("memory", "cpu", "cpuacct")];

const strengths = ({ mechanisms }: LimitPlan): string => mechanisms.map(({ limit, strength }) => `${limit} ${strength}`).join(", ");
const resource = ({ resources: given }: LimitPlan, wanted: number): bigint | undefined =>
  given.find((one) => one.resource === wanted)?.value;

test("planLimits() holds memory by a control group, and watches it without one", () => {
  const held = planLimits(limits, { cgroups: all, processors: 2 });
  const watched = planLimits(limits, { cgroups: [], processors: 2 });
  assert.equal(strengths(held), "cpuTime supervised, cpuCores held, memory held, processes held, disk supervised, openFiles held");
  assert.match(strengths(watched), /memory supervised/u);
});

test("planLimits() names a mechanism for every limit that the broker does not watch itself", () => {
  const named = planLimits(limits, { cgroups: [], processors: 2 }).mechanisms.map(({ limit }) => limit);
  assert.deepEqual([...named, "output", "wall", "denials"].toSorted(), limitNames.toSorted());
});

test("planLimits() counts our own tasks, and lets one more be the one that ends the run", () => {
  const plan = planLimits(limits, { cgroups: [], processors: 2 });
  assert.equal(plan.tasksMaximum, 105);
  assert.equal(resource(plan, resources.processes), 105n);
});

test("planLimits() gives private places less than the memory, and never more than the disk", () => {
  const plan = planLimits(limits, { cgroups: [], processors: 2 });
  assert.ok(plan.scratchBytes + plan.sharedBytes < limits.memoryBytes);
  const narrow = planLimits({ ...limits, diskBytes: 2 ** 20 }, { cgroups: [], processors: 2 });
  assert.deepEqual([narrow.scratchBytes, narrow.sharedBytes], [2 ** 20, 2 ** 20]);
});

test("planLimits() binds to whole processors where there are more, and refuses a share that nothing holds", () => {
  const bound = (cpuCores: number, processors: number, cgroups: readonly Cgroup[]): number | undefined =>
    planLimits({ ...limits, cpuCores }, { cgroups, processors }).boundProcessors;
  assert.deepEqual([bound(2, 8, []), bound(2, 2, []), bound(8, 2, []), bound(1.5, 8, all)], [2, undefined, undefined, 2]);
  assert.throws(() => bound(1.5, 8, []), { code: "WALL_UNAVAILABLE", situation: "wall.share-unheld" });
  assert.throws(() => bound(1.5, 8, [group("memory")]), { situation: "wall.share-unheld" });
  assert.equal(bound(2.5, 2, []), undefined);
});

test("MemoryEstimate asks for the exact sum only when the cheap one is too high, and then trusts the difference", () => {
  const estimate = new MemoryEstimate(100);
  let asked = 0;
  const look = (residentBytes: number, exact: number): number => estimate.look({ residentBytes, exactBytes: () => ((asked += 1), exact) });
  assert.deepEqual([look(90, 0), asked], [90, 0]);
  assert.deepEqual([look(150, 60), asked], [60, 1]);
  assert.deepEqual([look(170, 0), asked], [80, 1]);
  assert.deepEqual([look(200, 105), asked], [105, 2]);
});
