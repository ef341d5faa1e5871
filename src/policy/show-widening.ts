// What a widening asks for and what it goes beyond, in the words of a policy file.
import { type Field, type LayerValues, type PolicyValues, dayMs } from "./layer-values.ts";
import { showDuration, showSize } from "./units.ts";
import type { Widening } from "./widening.ts";

const showOther = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function showField(field: Field, values: LayerValues): string {
  const value = values[field];
  if (typeof value !== "number") return showOther(value);
  if (field === "wallMs" || field === "cpuMs") return showDuration(value);
  if (field === "retentionDays") return showDuration(value * dayMs);
  return field.endsWith("Bytes") ? showSize(value) : String(value);
}

/** Values of variables are not shown: only whether the name is set. */
function showItems(field: Field, values: PolicyValues): string {
  if (field === "commands") return `[${values.commands.map(({ id }) => id).join(", ")}]`;
  if (field === "egress") return `[${values.egress.map(({ id }) => id).join(", ")}]`;
  if (field === "outside") return `[${values.outside.map(({ id }) => id).join(", ")}]`;
  if (field === "approvals") return `[${values.approvals.map(({ id }) => id).join(", ")}]`;
  if (field === "homeFiles") return `{${Object.keys(values.homeFiles).join(", ")}}`;
  if (field === "set") return `{${Object.keys(values.set).join(", ")}}`;
  const list = values[field];
  return Array.isArray(list) ? `[${list.join(", ")}]` : showOther(list);
}

/** `entry`: the item, or the value that is asked for. `ceiling`: what the base has there. */
export function showWidening(
  base: PolicyValues,
  layer: LayerValues,
  { field, item }: Widening,
): { readonly entry: string; readonly ceiling: string } {
  if (item === undefined) return { entry: showField(field, layer), ceiling: showField(field, base) };
  return { entry: item, ceiling: showItems(field, base) };
}
