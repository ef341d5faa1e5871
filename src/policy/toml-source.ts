// TOML 1.0 -> plain data with line numbers.
import { TomlError, parse } from "smol-toml";
import { type PlainSource, maximumDepth } from "./plain-source.ts";
import { failSource } from "./source-fault.ts";
import { findTomlLines } from "./toml-lines.ts";

const partsOf = (item: unknown): readonly unknown[] => (typeof item === "object" && item !== null ? Object.values(item) : []);

/** Without recursion: what it looks for would end the stack. */
function isDeeperThan(value: unknown, maximum: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maximum) return true;
    level = level.flatMap((item) => partsOf(item));
  }
  return false;
}

/** @throws SourceFault with the first thing that is not TOML (the library stops there) */
export function readToml(text: string): PlainSource {
  try {
    const value = parse(text, { maxDepth: maximumDepth });
    // A dotted key nests without brackets, which the library's own limit does not count.
    if (isDeeperThan(value, maximumDepth)) return failSource("policy.too-deep", 1, { maximum: maximumDepth });
    return { value, lines: findTomlLines(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const detail = (error.message.split("\n", 1)[0] ?? "").replace("Invalid TOML document: ", "");
    return failSource("policy.syntax", error.line, { detail });
  }
}
