// When a rule holds: at which moments its window is open, and when that changes next. Pure; time zones are the runtime's own.
import type { RuleWindow } from "../contracts/egress-policy.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Clocks are changed at such moments only, wherever anybody lives. */
const quarterMs = 15 * minuteMs;
/** A week has every day, and a change of clocks at most. */
const horizonMs = 9 * dayMs;

const dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface Clock {
  readonly day: number;
  readonly minute: number;
}

/** @throws RangeError for what is no time zone */
function clockOf(zone: string): (ms: number) => Clock {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
    return { day: dayNames.indexOf(parts.get("weekday") ?? ""), minute };
  };
}

export function isTimeZone(zone: string): boolean {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false; // no zone that the runtime knows
  }
}

type Daily = NonNullable<RuleWindow["daily"]>;

function isWithinDay({ days, fromMinute, untilMinute }: Daily, { day, minute }: Clock): boolean {
  if (fromMinute < untilMinute) return minute >= fromMinute && minute < untilMinute && days.includes(day);
  // As early as it begins, the next day: all of it.
  if (minute >= fromMinute) return days.includes(day);
  return minute < untilMinute && days.includes((day + 6) % 7);
}

/** The next moment at which the clocks may matter. */
function nextLook({ fromMinute, untilMinute }: Daily, { minute }: Clock, ms: number): number {
  const minutes = [fromMinute, untilMinute, 0].map((edge) => (edge - minute + 1440) % 1440 || 1440);
  const edgeMs = Math.floor(ms / minuteMs) * minuteMs + Math.min(...minutes) * minuteMs;
  return Math.min(edgeMs, (Math.floor(ms / quarterMs) + 1) * quarterMs);
}

/** A window that can be asked about any moment. */
export interface OpenWindow {
  isOpen(ms: number): boolean;
  /** The first moment after this one at which it is open where it was not, or the other way round; undefined: it stays. */
  changesAfter(ms: number): number | undefined;
  /** The first moment from this one on at which it is open; undefined: never. */
  opensFrom(ms: number): number | undefined;
}

export function openWindow({ daily, fromMs = -Infinity, untilMs = Infinity }: RuleWindow): OpenWindow {
  const clock = daily === undefined ? undefined : clockOf(daily.zone);
  const isOpen = (ms: number): boolean =>
    ms >= fromMs && ms < untilMs && (daily === undefined || clock === undefined || isWithinDay(daily, clock(ms)));
  const look = (ms: number): number => (daily === undefined || clock === undefined ? Infinity : nextLook(daily, clock(ms), ms));
  const changesAfter = (ms: number): number | undefined => {
    const was = isOpen(ms);
    // Nothing changes before it may hold at all.
    const start = Math.max(ms, fromMs);
    if (start > ms && isOpen(start) !== was) return start;
    for (let at = start; at < Math.min(start + horizonMs, untilMs);) {
      at = Math.min(look(at), untilMs);
      if (isOpen(at) !== was) return Number.isFinite(at) ? at : undefined;
    }
    return undefined;
  };
  return { isOpen, changesAfter, opensFrom: (ms) => (isOpen(ms) ? ms : changesAfter(ms)) };
}
