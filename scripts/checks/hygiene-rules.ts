// Words that must not stand in a file of this repository. Patterns are put together so that this file does not find itself.
import type { Finding } from "./finding.ts";
import { lineAt } from "./project-files.ts";

interface HygieneRule {
  readonly pattern: RegExp;
  readonly files: RegExp;
  readonly problem: string;
  readonly fix: string;
}

const anyOf = (...words: readonly (readonly string[])[]): string => words.map((parts) => parts.join("")).join("|");

const hosts = anyOf(
  ["registry\\.npm", "js\\.org"],
  ["registry\\.yarn", "pkg\\.com"],
  ["npm", "mirror\\.com"],
  ["deb\\.deb", "ian\\.org"],
  ["pypi\\.", "org"],
  ["files\\.python", "hosted\\.org"],
  ["crates\\.", "io"],
  ["ghcr\\.", "io"],
  ["docker\\.", "io"],
);
const markers = anyOf(["TO", "DO"], ["FIX", "ME"], ["XX", "X"]);
const machinePath = anyOf(["/wo", "rk/main\\b"], ["/wo", "rk/shared\\b"], ["/Us", "ers/"], ["/bui", "lds/"]);

export const hygieneRules: readonly HygieneRule[] = [
  {
    pattern: /"resolved"\s*:/gu,
    files: /(?:^|\/)package-lock\.json$/u,
    problem: "holds a download address",
    fix: "Run npm install again: .npmrc leaves addresses out",
  },
  {
    pattern: new RegExp(`(?:${hosts})`, "gu"),
    files: /./u,
    problem: "names a package registry",
    fix: "Leave it to the configuration of the machine",
  },
  {
    pattern: new RegExp(`(?<![\\w.~-])(?:${machinePath})`, "gu"),
    files: /./u,
    problem: "holds a path of one machine",
    fix: "Make it relative, or take it from the environment",
  },
  {
    pattern: new RegExp(`\\b(?:${markers})\\b`, "gu"),
    files: /\.(?:ts|mjs|c|h|sh|json|ya?ml)$/u,
    problem: "holds a note to do something later",
    fix: "Do it, or write an issue",
  },
  {
    pattern: /\b(?:test|it|describe|suite|t|context)\.(?:only|skip|todo)\b/gu,
    files: /\.test\.ts$/u,
    problem: "leaves tests out",
    fix: "Run it, or delete it",
  },
  {
    pattern: /\b(?:only\s*:\s*true\b|(?:skip|todo)\s*:\s*(?:true\b|["'`]))/gu,
    files: /\.test\.ts$/u,
    problem: "leaves tests out",
    fix: "Run it, or delete it",
  },
  {
    pattern: /\b(?:DESIGN|STYLE)(?:\.md| section)/gu,
    files: /./u,
    problem: "names a document that is not part of this repository",
    fix: "Name ARCHITECTURE.md, SPECIFICATION.md or an ADR",
  },
];

export function hygieneFindings(file: string, text: string): Finding[] {
  return hygieneRules
    .filter((rule) => rule.files.test(file))
    .flatMap(({ pattern, problem, fix }) =>
      [...text.matchAll(pattern)].map((match) => ({
        place: `${file}:${lineAt(text, match.index + 1)}`,
        problem: `${problem}: ${match[0]}`,
        fix,
      })),
    );
}
