// The window of a rule in a few characters, as people write it: mon-fri 09:00-18:00 Europe/Berlin.
import type { RuleWindow } from "./egress-policy.ts";
import { weekDays } from "./egress-rule.ts";

const timeOf = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

function showDays(days: readonly number[]): string {
  const [first = 0] = days;
  const last = days.at(-1) ?? first;
  const isRun = days.length > 2 && last - first === days.length - 1;
  return (isRun ? [first, last] : days).map((day) => weekDays[day]).join(isRun ? "-" : ",");
}

export function showWindow({ daily, fromMs, untilMs }: RuleWindow): string {
  return [
    ...(daily === undefined ? [] : [`${showDays(daily.days)} ${timeOf(daily.fromMinute)}-${timeOf(daily.untilMinute)} ${daily.zone}`]),
    ...(fromMs === undefined ? [] : [`from ${new Date(fromMs).toISOString()}`]),
    ...(untilMs === undefined ? [] : [`until ${new Date(untilMs).toISOString()}`]),
  ].join(", ");
}
