// The tests that a policy carries: asked of the loaded policy, so that an edit cannot quietly change what its author relies on.
import type { PolicyTest } from "../contracts/policy-document.ts";
import type { CompiledPolicy, PolicyFacts, PolicyProblem } from "../contracts/policy-port.ts";
import { egressProtocols } from "../contracts/egress-policy.ts";
import { parseHostPort, showHost } from "../kit/host-name.ts";
import { egressDecider } from "./decide-egress.ts";
import { problemAt } from "./findings.ts";
import { literalPath, resolvePath } from "./path-pattern.ts";
import { judgeRead, judgeWrite } from "./path-rules.ts";
import type { Layer } from "./read-layer.ts";
import { allowedPlace } from "./resolved-paths.ts";

/** By whatever protocol the policy is most generous, and as if every rule held now: an answer does not depend on the hour. */
function answerConnect(text: string, policy: CompiledPolicy): string {
  const place = parseHostPort(text);
  if (place === undefined) return "deny";
  const decider = egressDecider(policy.egress, "whenever");
  const target = { host: showHost(place.host), port: place.port };
  const verdicts = new Set(egressProtocols.map((protocol) => decider.decide({ ...target, protocol }).verdict));
  return (["allow", "ask"] as const).find((verdict) => verdicts.has(verdict)) ?? "deny";
}

/** allow, ask or deny; `default` for a read that no rule decides, which no expectation equals. */
function answer({ request }: PolicyTest, policy: CompiledPolicy, facts: PolicyFacts): string {
  const { argv, cwd, read, write, connect } = request;
  if (argv !== undefined)
    return policy.decide({ kind: "command", argv, cwd: cwd === undefined ? facts.projectDirectory : resolvePath(literalPath(cwd), facts) })
      .verdict;
  if (read !== undefined) return judgeRead(policy.paths, allowedPlace(read, facts));
  if (connect !== undefined) return answerConnect(connect, policy);
  return write === undefined ? "default" : judgeWrite(policy.paths, allowedPlace(write, facts));
}

/** Every layer's tests are asked of the whole policy: what a stronger layer changes must still satisfy the weaker one's author. */
export function runPolicyTests(layers: readonly Layer[], policy: CompiledPolicy, facts: PolicyFacts): readonly PolicyProblem[] {
  return layers.flatMap(({ document, place }) =>
    (document.tests ?? []).flatMap((test, index): PolicyProblem[] => {
      const actual = answer(test, policy, facts);
      if (actual === test.expect) return [];
      const values = { test: test.name, expected: test.expect, actual };
      return [problemAt(place, { code: "POLICY_TEST_FAILED", situation: "policy.test-failed", path: ["tests", index], values })];
    }),
  );
}
