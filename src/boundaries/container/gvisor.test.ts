// What the host must know of gVisor's kernel before it trusts a limit to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { roomyLimits } from "../../contracts/testing/limits.ts";
import { planLimits } from "../../linux/linux.ts";
import { requireCountedMemory } from "./gvisor.ts";

test("requireCountedMemory() refuses a kernel whose memory neither a control group nor its own file tells", () => {
  const plan = planLimits(roomyLimits, { cgroups: [], processors: 1 });
  assert.throws(() => requireCountedMemory(process.pid, plan), { code: "WALL_UNAVAILABLE", situation: "container.gvisor-memory" });
});
