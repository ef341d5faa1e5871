// Short ways to write policy sources and facts in tests of this room.
import type { PolicyFacts, PolicyProblem, PolicySource } from "../../contracts/policy-port.ts";
import { checkPolicy } from "../policy.ts";

export const facts: PolicyFacts = {
  home: "/home/me",
  nowMs: Date.parse("2026-06-01T12:00:00Z"),
  projectDirectory: "/home/me/project",
  isPublicSuffix: (name) => ["com", "org", "co.uk", "github.io"].includes(name),
  protectedPaths: ["/home/me/.local/state/glovebox", "/opt/glovebox"],
};

/** A document as YAML text below its version line, which is line 1. */
export function yamlSource(body: string, origin: PolicySource["origin"] = "user"): PolicySource {
  return { origin, label: `${origin}.yaml`, format: "yaml", text: `apiVersion: glovebox/v1\n${body}` };
}

/** A document as data. */
export function dataSource(document: unknown, origin: PolicySource["origin"] = "user"): PolicySource {
  return { origin, label: `${origin}.json`, format: "json", text: JSON.stringify(document) };
}

/** `CODE situation line key` of each finding: enough to tell them apart. */
export function summaries(problems: readonly PolicyProblem[]): readonly string[] {
  return problems.map(({ code, situation, line, key }) => `${code} ${situation} ${line} ${key}`);
}

export function check(body: string, origin: PolicySource["origin"] = "user"): readonly string[] {
  return summaries(checkPolicy(yamlSource(body, origin), facts));
}
