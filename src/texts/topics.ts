// The files of the catalogue, topic by topic. The bundle keeps them as text until this is first asked: scripts/setup/bundle-sources.mjs.
import agentInit from "./catalogue/agent-init.json" with { type: "json" };
import agents from "./catalogue/agents.json" with { type: "json" };
import approval from "./catalogue/approval.json" with { type: "json" };
import artifact from "./catalogue/artifact.json" with { type: "json" };
import broker from "./catalogue/broker.json" with { type: "json" };
import cache from "./catalogue/cache.json" with { type: "json" };
import cell from "./catalogue/cell.json" with { type: "json" };
import changes from "./catalogue/changes.json" with { type: "json" };
import cli from "./catalogue/cli.json" with { type: "json" };
import container from "./catalogue/container.json" with { type: "json" };
import desk from "./catalogue/desk.json" with { type: "json" };
import egress from "./catalogue/egress.json" with { type: "json" };
import guard from "./catalogue/guard.json" with { type: "json" };
import imported from "./catalogue/import.json" with { type: "json" };
import mcp from "./catalogue/mcp.json" with { type: "json" };
import input from "./catalogue/input.json" with { type: "json" };
import ledger from "./catalogue/ledger.json" with { type: "json" };
import library from "./catalogue/library.json" with { type: "json" };
import podSecurity from "./catalogue/pod-security.json" with { type: "json" };
import policy from "./catalogue/policy.json" with { type: "json" };
import preset from "./catalogue/preset.json" with { type: "json" };
import proof from "./catalogue/proof.json" with { type: "json" };
import sandbox from "./catalogue/sandbox.json" with { type: "json" };
import setup from "./catalogue/setup.json" with { type: "json" };
import sheet from "./catalogue/sheet.json" with { type: "json" };
import template from "./catalogue/template.json" with { type: "json" };
import wall from "./catalogue/wall.json" with { type: "json" };
import type { Language } from "./language.ts";

/** One sentence in every language. */
export type CatalogueEntry = Readonly<Record<Language, string>>;

export type Topics = Readonly<Record<string, Readonly<Record<string, CatalogueEntry>>>>;

export const topics = (): Topics => ({
  "agent-init": agentInit,
  agents,
  approval,
  artifact,
  broker,
  cache,
  cell,
  changes,
  cli,
  container,
  desk,
  egress,
  guard,
  import: imported,
  input,
  ledger,
  library,
  mcp,
  "pod-security": podSecurity,
  policy,
  preset,
  proof,
  sandbox,
  setup,
  sheet,
  template,
  wall,
});
