// What of the whole schema this version enforces. Everything else is refused by name: a key that would do nothing must not look as if it
// did (INVARIANT I-14). A value that equals what happens anyway is accepted, so that a complete document can be written.
import { canonicalJson } from "../kit/canonical-json.ts";
import type { Findings } from "./findings.ts";
import type { KeyPath } from "./key-path.ts";
import { observeRisk } from "./observed-rules.ts";
import { itemsAt, showValue, valueAt } from "./plain-value.ts";

/** A key that is not built, with the one value it may have; undefined: none. */
interface Unbuilt {
  readonly path: KeyPath;
  readonly accepted: unknown;
}

const unbuilt: readonly Unbuilt[] = [
  { path: ["extends"], accepted: [] },
  { path: ["uid"], accepted: "auto" },
  ...["writes", "credentials", "screen"].map((name) => ({ path: ["approval", "granular", name], accepted: "deny" })),
  { path: ["environment", "fakeEnvFiles"], accepted: false },
  { path: ["browser"], accepted: [] },
  { path: ["credentials"], accepted: [] },
  { path: ["audit", "env"], accepted: "names" },
  { path: ["audit", "treeHead"], accepted: undefined },
  { path: ["audit", "anchors"], accepted: [] },
];

/** Keys of which only some values are built. */
interface PartlyBuilt {
  readonly path: KeyPath;
  readonly built: readonly string[];
  readonly unbuilt: readonly string[];
}

const partly: readonly PartlyBuilt[] = [
  { path: ["boundary"], built: ["auto", "process", "container"], unbuilt: ["microvm", "desktop", "wasi"] },
  { path: ["approval"], built: ["auto-allow", "regular", "never", "granular"], unbuilt: ["untrusted", "on-request"] },
  { path: ["filesystem", "readDefault"], built: ["system"], unbuilt: ["none"] },
];

function checkPartly(rows: readonly PartlyBuilt[], value: unknown, findings: Findings): void {
  for (const { path, built, unbuilt: waiting } of rows) {
    const found = valueAt(value, path);
    const isWaiting = typeof found === "string" && waiting.includes(found);
    if (!isWaiting) continue;
    findings.add({
      code: "POLICY_KEY_UNSUPPORTED",
      situation: "policy.value-unsupported",
      path,
      values: { value: showValue(found), built: built.join(", ") },
    });
  }
}

function checkUnbuilt({ path, accepted }: Unbuilt, value: unknown, findings: Findings): void {
  const found = valueAt(value, path);
  if (found === undefined || (accepted !== undefined && canonicalJson(found) === canonicalJson(accepted))) return;
  const situation = accepted === undefined ? "policy.key-unsupported" : "policy.key-unsupported-but";
  const values = accepted === undefined ? {} : { accepted: JSON.stringify(accepted) };
  findings.add({ code: "POLICY_KEY_UNSUPPORTED", situation, path, values });
}

/** A refusal that nobody lifts must not look as if somebody had. */
function checkRisk(path: KeyPath, value: unknown, findings: Findings): void {
  const found = valueAt(value, path);
  if (typeof found !== "string" || found === observeRisk) return;
  const values = { value: showValue(found), built: observeRisk };
  findings.add({ code: "POLICY_KEY_UNSUPPORTED", situation: "policy.value-unsupported", path, values });
}

/** Works on unchecked data, so that one look names everything. */
export function checkSupported(value: unknown, findings: Findings): void {
  for (const key of unbuilt) checkUnbuilt(key, value, findings);
  // Asking about connections and denying commands outright has no word of its own yet.
  const granular: KeyPath = ["approval", "granular"];
  if (valueAt(value, [...granular, "commands"]) !== "ask")
    checkUnbuilt({ path: [...granular, "egress"], accepted: "deny" }, value, findings);
  checkPartly(partly, value, findings);
  for (const { path } of itemsAt(value, ["outside"])) {
    checkPartly(
      [{ path: [...path, "boundary"], built: ["outside"], unbuilt: ["container", "microvm", "desktop", "wasi"] }],
      value,
      findings,
    );
  }
  for (const { path } of itemsAt(value, ["approvals"])) {
    checkPartly([{ path: [...path, "on"], built: ["command", "egress"], unbuilt: ["write", "credential", "screen"] }], value, findings);
    checkUnbuilt({ path: [...path, "expires"], accepted: undefined }, value, findings);
  }
  for (const { path } of itemsAt(value, ["acceptRisk"])) checkRisk([...path, "what"], value, findings);
  for (const { path } of itemsAt(value, ["egress"])) {
    for (const name of ["purpose", "tasks"]) checkUnbuilt({ path: [...path, name], accepted: undefined }, value, findings);
    checkUnbuilt({ path: [...path, "inspect"], accepted: false }, value, findings);
  }
}
