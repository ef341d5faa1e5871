// An option that is a time, for what is no key of a policy.
import type { CommandInput } from "./command.ts";
import { usageError } from "./usage-error.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; undefined when it was not given. @throws USAGE_INVALID */
export function durationOf({ options }: CommandInput, name: string): number | undefined {
  const given = options.text(name);
  if (given === undefined) return undefined;
  const [, number = "", unit = ""] = /^(\d{1,9})(ms|s|m|h|d)$/u.exec(given) ?? [];
  const ms = Number(number) * (unitMs[unit] ?? 0);
  if (ms > 0) return ms;
  throw usageError("usage.time-invalid", { option: `--${name}`, value: given });
}
