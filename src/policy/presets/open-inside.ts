// Names of a person's own configuration that lead to addresses which are not public: a company's registry. They are opened by name and port.
import type { ResolvedPreset } from "../../contracts/preset.ts";
import { classifyAddress } from "../../kit/address-class.ts";
import { parseIpAddress } from "../../kit/ip-address.ts";
import { sortedOnce } from "../layer-values.ts";
import { isRecord } from "../plain-value.ts";

/** What a registry may be: never a cloud's metadata, nor an address that hides another. */
const openable: ReadonlySet<string> = new Set(["loopback", "private", "link-local", "shared", "benchmarking", "documentation", "reserved"]);

function insideAddress(addresses: readonly string[]): string | undefined {
  return addresses.find((text) => {
    const address = parseIpAddress(text);
    return address !== undefined && openable.has(classifyAddress(address));
  });
}

/** @param resolved name -> its addresses now, of the names in `configured` */
export function openInside(preset: ResolvedPreset, resolved: ReadonlyMap<string, readonly string[]>): ResolvedPreset {
  const inside = preset.configured.flatMap((place) => {
    const address = insideAddress(resolved.get(place.slice(0, place.lastIndexOf(":"))) ?? []);
    return address === undefined ? [] : [{ place, address }];
  });
  if (inside.length === 0) return preset;
  const given = isRecord(preset.fragment) ? preset.fragment["allowLocal"] : undefined;
  const already = Array.isArray(given) ? given.map(String) : [];
  const allowLocal = sortedOnce([...already, ...inside.map(({ place }) => place)]);
  const notes = inside.map((values) => ({ key: "preset.note.inside", values }));
  return { ...preset, fragment: { ...preset.fragment, allowLocal }, notes: [...preset.notes, ...notes] };
}
