// A company's registry has a private address: opened by name and port, and only where a person configured it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResolvedPreset } from "../../contracts/preset.ts";
import { openInside } from "./open-inside.ts";

const preset: ResolvedPreset = {
  name: "node",
  fragment: { allowLocal: ["127.0.0.1:4873"] },
  sources: [],
  configured: ["npm.corp.example:443", "npm.corp.example:8443", "public.example:443"],
  shows: [],
  decidedBy: [],
  notes: [],
};

test("openInside() opens a configured name that has a private address, at its ports, and says so", () => {
  const addresses = new Map([
    ["npm.corp.example", ["93.184.216.34", "10.0.0.7"]],
    ["public.example", ["93.184.216.34"]],
    ["other.example", ["10.0.0.8"]],
  ]);
  const opened = openInside(preset, addresses);
  assert.deepEqual(opened.fragment["allowLocal"], ["127.0.0.1:4873", "npm.corp.example:443", "npm.corp.example:8443"]);
  assert.deepEqual(opened.notes, [
    { key: "preset.note.inside", values: { place: "npm.corp.example:443", address: "10.0.0.7" } },
    { key: "preset.note.inside", values: { place: "npm.corp.example:8443", address: "10.0.0.7" } },
  ]);
});

test("openInside() opens nothing for metadata services, hidden addresses, and names without an answer", () => {
  for (const address of [
    "169.254.169.254",
    "168.63.129.16",
    "fd00:ec2::254",
    "64:ff9b::a00:1",
    "0.0.0.0",
    "224.0.0.1",
    "93.184.216.34",
    "x",
  ])
    assert.equal(openInside(preset, new Map([["npm.corp.example", [address]]])), preset, address);
  assert.equal(openInside(preset, new Map()), preset);
});
