// The window of a rule as a document writes it: what is wrong with it beyond its shape, its one spelling, and as a rule's compiled form has it.
import type { RuleWindow } from "../contracts/egress-policy.ts";
import { type EgressRule, weekDays } from "../contracts/egress-rule.ts";
import type { Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { isRecord, showValue, valueAt } from "./plain-value.ts";
import { isTimeZone } from "./rule-window.ts";

type WrittenWindow = NonNullable<EgressRule["window"]>;

/** `09:00` */
function minuteOf(time: string): number {
  const [hours = "", minutes = ""] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
}

const dayMinutes = 24 * 60;

/** Without hours the whole day: it ends on the next at the minute at which it begins. */
function minutesOf(hours: string | undefined): { readonly fromMinute: number; readonly untilMinute: number } {
  const [from = "", until = ""] = (hours ?? "").split("-");
  return { fromMinute: minuteOf(from) % dayMinutes, untilMinute: minuteOf(until) % dayMinutes };
}

function inWeekOrder(days: WrittenWindow["days"]): WrittenWindow["days"] {
  return days && weekDays.filter((day) => days.includes(day));
}

const moment = (text: string): string => new Date(text).toISOString();

/** @param window checked */
export function spellWindow({ hours, days, zone, from, until }: WrittenWindow): WrittenWindow {
  return {
    ...(hours === undefined ? {} : { hours }),
    ...(days === undefined ? {} : { days: inWeekOrder(days) }),
    ...(zone === undefined ? {} : { zone }),
    ...(from === undefined ? {} : { from: moment(from) }),
    ...(until === undefined ? {} : { until: moment(until) }),
  };
}

/** @param window checked */
export function compileWindow({ hours, days = [...weekDays], zone, from, until }: WrittenWindow): RuleWindow {
  const daily = zone === undefined ? undefined : { zone, days: days.map((day) => weekDays.indexOf(day)), ...minutesOf(hours) };
  return {
    ...(daily === undefined ? {} : { daily }),
    ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
    ...(until === undefined ? {} : { untilMs: Date.parse(until) }),
  };
}

/** What the zone is given for must be there, and the other way round. */
function clockFault(zone: unknown, isDaily: boolean): string | undefined {
  if (typeof zone === "string" && !isTimeZone(zone)) return "policy.window-zone";
  return (zone === undefined) === isDaily ? "policy.window-clock" : undefined;
}

function isBackwards(from: unknown, until: unknown): boolean {
  return typeof from === "string" && typeof until === "string" && Date.parse(from) >= Date.parse(until);
}

function faultOf(window: Readonly<Record<string, unknown>>): string | undefined {
  const { hours, days, zone, from, until } = window;
  if (Object.keys(window).length === 0) return "policy.window-empty";
  const [begin, end] = typeof hours === "string" ? hours.split("-") : [];
  if (begin !== undefined && begin === end) return "policy.window-hours";
  return clockFault(zone, hours !== undefined || days !== undefined) ?? (isBackwards(from, until) ? "policy.window-order" : undefined);
}

/** Works on unchecked data. @param path of a rule's window */
export function checkWindow(value: unknown, path: KeyPath, findings: Findings): void {
  const window = valueAt(value, path);
  if (!isRecord(window)) return;
  const situation = faultOf(window);
  if (situation === undefined) return;
  findings.add({ code: "POLICY_VALUE_INVALID", situation, path, values: { value: showValue(window["zone"] ?? window["hours"] ?? "") } });
}
