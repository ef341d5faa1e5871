// When windows are open, at clocks that are put forward and back, and when that changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RuleWindow } from "../contracts/egress-policy.ts";
import { isTimeZone, openWindow } from "./rule-window.ts";

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const office: RuleWindow = { daily: { zone: "Europe/Berlin", days: everyDay, fromMinute: 9 * 60, untilMinute: 18 * 60 } };
const at = (text: string): number => Date.parse(text);
const shown = (ms: number | undefined): string => (ms === undefined ? "never" : new Date(ms).toISOString().slice(0, 16));

test("openWindow() is open by the clocks of its zone, the first minute in and the last out", () => {
  const { isOpen } = openWindow(office);
  const rows: readonly (readonly [string, boolean])[] = [
    ["2026-01-15T01:00:00Z", false],
    ["2026-01-15T07:59:59Z", false],
    ["2026-01-15T08:00:00Z", true],
    ["2026-01-15T16:59:59Z", true],
    ["2026-01-15T17:00:00Z", false],
    ["2026-07-15T07:00:00Z", true],
    ["2026-07-15T16:00:00Z", false],
  ];
  for (const [moment, expected] of rows) assert.equal(isOpen(at(moment)), expected, moment);
});

test("openWindow() knows the next opening on the days on which clocks are changed", () => {
  const { opensFrom, changesAfter } = openWindow(office);
  // 29 March: put forward at 01:00 UTC; 25 October: put back.
  assert.equal(shown(opensFrom(at("2026-03-28T17:00:00Z"))), "2026-03-29T07:00");
  assert.equal(shown(opensFrom(at("2026-03-29T00:30:00Z"))), "2026-03-29T07:00");
  assert.equal(shown(opensFrom(at("2026-10-24T16:00:00Z"))), "2026-10-25T08:00");
  assert.equal(shown(changesAfter(at("2026-10-25T08:00:00Z"))), "2026-10-25T17:00");
});

test("openWindow() opens in the hour that clocks skip as soon as they have, and closes in the one that comes twice once each", () => {
  const daily = { zone: "Europe/Berlin", days: everyDay, fromMinute: 2 * 60 + 20, untilMinute: 2 * 60 + 40 };
  const skipped = openWindow({ daily: { ...daily, untilMinute: 4 * 60 } });
  assert.equal(shown(skipped.opensFrom(at("2026-03-29T00:50:00Z"))), "2026-03-29T01:00");
  const twice = openWindow({ daily });
  const changes: string[] = [];
  for (let ms = at("2026-10-24T23:00:00Z"); changes.length < 4;) {
    ms = twice.changesAfter(ms) ?? Number.NaN;
    changes.push(shown(ms));
  }
  assert.deepEqual(changes, ["2026-10-25T00:20", "2026-10-25T00:40", "2026-10-25T01:20", "2026-10-25T01:40"]);
});

test("openWindow() counts a night to the day on which it begins", () => {
  const friday: RuleWindow = { daily: { zone: "UTC", days: [4], fromMinute: 22 * 60, untilMinute: 6 * 60 } };
  const { isOpen, opensFrom, changesAfter } = openWindow(friday);
  assert.deepEqual(
    ["2026-01-16T05:00:00Z", "2026-01-16T23:00:00Z", "2026-01-17T05:59:00Z", "2026-01-17T06:00:00Z", "2026-01-17T23:00:00Z"].map((text) =>
      isOpen(at(text)),
    ),
    [false, true, true, false, false],
  );
  assert.equal(shown(opensFrom(at("2026-01-17T06:00:00Z"))), "2026-01-23T22:00");
  assert.equal(shown(changesAfter(at("2026-01-16T22:00:00Z"))), "2026-01-17T06:00");
});

test("openWindow() does not open before its first moment nor after its last", () => {
  const { daily } = office;
  const bounded = openWindow({ ...office, fromMs: at("2030-06-01T12:00:00Z"), untilMs: at("2030-06-02T08:00:00Z") });
  assert.equal(shown(bounded.opensFrom(at("2026-01-01T10:00:00Z"))), "2030-06-01T12:00");
  assert.equal(shown(bounded.opensFrom(at("2030-06-01T17:00:00Z"))), "2030-06-02T07:00");
  assert.equal(shown(bounded.changesAfter(at("2030-06-02T07:00:00Z"))), "2030-06-02T08:00");
  assert.equal(shown(bounded.opensFrom(at("2030-06-02T08:00:00Z"))), "never");
  const ended = openWindow({ untilMs: at("2026-01-01T00:00:00Z") });
  assert.deepEqual(
    [ended.isOpen(at("2025-12-31T23:59:59Z")), shown(ended.changesAfter(at("2025-06-01T00:00:00Z")))],
    [true, "2026-01-01T00:00"],
  );
  assert.equal(shown(ended.changesAfter(at("2026-01-01T00:00:00Z"))), "never");
  const begins = openWindow({ ...(daily === undefined ? {} : { daily }), fromMs: at("2030-06-01T03:00:00Z") });
  assert.equal(shown(begins.opensFrom(at("2026-01-01T00:00:00Z"))), "2030-06-01T07:00");
});

test("isTimeZone() knows the runtime's zones alone", () => {
  assert.deepEqual(["Europe/Berlin", "UTC", "Asia/Kathmandu", "Mars/Base", ""].map(isTimeZone), [true, true, true, false, false]);
});
