// The value shapes of a policy document. Each carries a `title`, by which a finding knows what to suggest ("write a unit").
import * as z from "zod";

/** Longest list of any kind: keeps merging and judging fast whatever a file holds. */
export const maximumListItems = 1000;

/** Whole number directly followed by one unit. Decimal units (MB, GB) are refused: they are read both as 1000 and as 1024. */
export const sizeSchema = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}(?:B|KiB|MiB|GiB|TiB)$/u)
    .meta({ title: "Size", examples: ["256KiB", "2GiB"] });

/** Whole number directly followed by one unit: milliseconds, seconds, minutes, hours, days. */
export const durationSchema = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,11}(?:ms|s|m|h|d)$/u)
    .meta({ title: "Duration", examples: ["90s", "10m", "400d"] });

const pathText = () => z.string().min(1).max(4096);

/** `/x` absolute, `~/x` or `$HOME/x` in the home directory, anything else relative to the project directory. */
export const literalPathSchema = () => pathText().meta({ title: "Path", examples: [".", "~/notes", "/srv/data"] });

/** A literal path, or a glob of `*`, `**`, `?`, `[...]`, `{a,b}`. A backslash makes one of these characters literal. */
export const pathPatternSchema = () => pathText().meta({ title: "Path or glob", examples: ["~/.ssh", "~/**/.env"] });

/**
 * A name, or two with a slash between: `deploy.sh`, `.config/tool`. ASCII only: other letters have several spellings, of which a file system
 * may take one for another.
 */
export const protectedNameSchema = () =>
  z
    .string()
    .max(63)
    .regex(/^(?!\.{1,2}(?:\/|$))[ !"#$%&'()+,\-.0-9:;<=>@A-Z^_`a-z|~]+(?:\/(?!\.{1,2}$)[ !"#$%&'()+,\-.0-9:;<=>@A-Z^_`a-z|~]+)?$/u)
    .meta({ title: "File name", examples: ["deploy.sh", ".config/tool"] });

/** The name of an environment variable. */
export const environmentNameSchema = () =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/u)
    .meta({ title: "Environment name" });

/** The same, or a beginning of names followed by one `*`; a bare `*` would pass every secret the caller holds. */
export const environmentPatternSchema = () =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}\*?$/u)
    .meta({ title: "Environment name or beginning*", examples: ["LANG", "LC_*"] });

/** Names a rule in decisions and records. */
export const ruleIdSchema = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u)
    .meta({ title: "Rule id" });

/** A file below the private home: names without `..`, joined by slashes. */
export const homeFileSchema = () =>
  z
    .string()
    .max(255)
    .regex(/^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)*$/u)
    .meta({ title: "File below the home directory", examples: [".npmrc", ".config/pip/pip.conf"] });

/** One line for a person. */
export const reasonSchema = () => z.string().max(500).meta({ title: "Reason" });

export const verdictSchema = () => z.enum(["allow", "ask", "deny"]);

export const policyDigestSchema = () =>
  z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/u)
    .meta({ title: "Policy hash" });

/** A day, UTC: `2027-01-31`. */
export const daySchema = () => z.iso.date().meta({ title: "Day" });

/** A list with at most `maximumListItems` items. */
export function listOf<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return z.array(item).max(maximumListItems);
}
