// The report of `glovebox doctor`: what it says of the ledger, and that nothing is listed twice.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Boundary, ProbeLine } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { runDoctor } from "./doctor.ts";

const line = (name: string): ProbeLine => ({ name, state: "not-built", detail: "", fix: undefined, required: false });
const boundary: Boundary = {
  kind: "process",
  probe: async () => ({
    kind: "process",
    usable: true,
    lines: ["memory", "cpuTime", "processes", "disk"].map((name) => line(`limit ${name}`)),
  }),
  open: () => Promise.reject(new Error("not asked for")),
};

test("runDoctor() says what its number counts, and lists no limit twice", async () => {
  const report = await runDoctor({ boundary, containers: [], stateDirectory: "/s", checkLedger: async () => "224" });
  const lines = report.sections.flatMap((section) => section.lines);
  assert.equal(lines.find(({ name }) => name === "ledger")?.detail, "/s (records: 224)");
  for (const limit of ["memory", "cpuTime", "processes", "disk"])
    assert.equal(lines.filter(({ name }) => name.includes(limit) && name.includes("limit")).length, 1, limit);
  assert.ok(report.usable);
});

test("runDoctor() is not usable without a ledger, and gives the refusal's own next step", async () => {
  const refused = new GloveboxError("STATE_INSECURE", "state.open-mode", { values: { directory: "/s", mode: "777" } });
  const report = await runDoctor({ boundary, containers: [], stateDirectory: "/s", checkLedger: () => Promise.reject(refused) });
  assert.equal(report.usable, false);
  assert.equal(
    report.sections.flatMap((section) => section.lines).find(({ name }) => name === "ledger")?.fix?.key,
    "error.state.open-mode.hint",
  );
});

test("runDoctor() says of nothing that has a room by now that it is not built", async () => {
  const nothing: Boundary = { ...boundary, probe: async () => ({ kind: "process", usable: true, lines: [] }) };
  const report = await runDoctor({ boundary: nothing, containers: [], stateDirectory: "/s", checkLedger: async () => "1" });
  const pending = report.sections.flatMap(({ lines }) => lines.filter(({ state }) => state === "not-built").map(({ name }) => name));
  const architecture = readFileSync(path.join(import.meta.dirname, "../../ARCHITECTURE.md"), "utf8");
  const without = /^Rooms that have a place in the table below but no folder yet: ([^]+?)\.$/mu.exec(architecture)?.[1] ?? "";
  const rooms = new Set<string>(without.match(/[a-z]+/gu));
  assert.ok(pending.length > 0);
  assert.deepEqual(
    pending.filter((name) => !rooms.has(name)),
    [],
  );
});
