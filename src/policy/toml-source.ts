// TOML 1.0 -> plain data with line numbers.
import { TomlError, parse } from "smol-toml";
import { type PlainSource, maximumDepth } from "./plain-source.ts";
import { failSource } from "./source-fault.ts";
import { findTomlLines } from "./toml-lines.ts";

/** @throws SourceFault with the first thing that is not TOML (the library stops there) */
export function readToml(text: string): PlainSource {
  try {
    return { value: parse(text, { maxDepth: maximumDepth }), lines: findTomlLines(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const detail = (error.message.split("\n", 1)[0] ?? "").replace("Invalid TOML document: ", "");
    return failSource("policy.syntax", error.line, { detail });
  }
}
