// The tests that a policy carries: asked of the loaded policy, so that an edit cannot quietly change what its author relies on.
import type { PolicyTest } from "../contracts/policy-document.ts";
import type { CompiledPolicy, PolicyFacts, PolicyProblem } from "../contracts/policy-port.ts";
import { problemAt } from "./findings.ts";
import { literalPath, resolvePath } from "./path-pattern.ts";
import { judgeRead, judgeWrite } from "./path-rules.ts";
import type { Layer } from "./read-layer.ts";
import { allowedPlace } from "./resolved-paths.ts";

/** allow, ask or deny; `default` for a read that no rule decides, which no expectation equals. */
function answer({ request }: PolicyTest, policy: CompiledPolicy, facts: PolicyFacts): string {
  const { argv, cwd, read, write } = request;
  if (argv !== undefined)
    return policy.decide({ kind: "command", argv, cwd: cwd === undefined ? facts.projectDirectory : resolvePath(literalPath(cwd), facts) })
      .verdict;
  if (read !== undefined) return judgeRead(policy.paths, allowedPlace(read, facts));
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
