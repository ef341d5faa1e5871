// What a program catches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { PolicyError } from "../contracts/policy-error.ts";
import { PublicError, told } from "./public-error.ts";

const say = ({ key, values = {} }: { readonly key: string; readonly values?: Readonly<Record<string, unknown>> }): string =>
  `${key} ${JSON.stringify(values)}`;

test("told() turns an error of ours into code, message, hint and details, and keeps what caused it", async () => {
  const error = new GloveboxError("SANDBOX_LIMIT", "sandbox.too-many-open", { values: { maximum: 3 } });
  const caught = await told(say, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
  assert.ok(caught instanceof PublicError);
  assert.deepEqual([caught.name, caught.code, caught.retry, caught.details], ["GloveboxError", "SANDBOX_LIMIT", "later", { maximum: 3 }]);
  assert.equal(caught.message, 'error.sandbox.too-many-open.message {"maximum":3}');
  assert.equal(caught.hint, 'error.sandbox.too-many-open.hint {"maximum":3}');
  assert.deepEqual([caught.cause, caught.problems], [error, []]);
});

test("told() lists every problem of a policy", async () => {
  const problem = { code: "POLICY_KEY_UNKNOWN", situation: "policy.key-unknown", values: { key: "a" }, label: "f.yaml", line: 2 } as const;
  const error = new PolicyError([
    { ...problem, key: "a" },
    { ...problem, key: "b", values: { key: "b" } },
  ]);
  const caught = await told(say, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
  assert.ok(caught instanceof PublicError);
  assert.deepEqual(
    caught.problems.map(({ file, line, key, message }) => [file, line, key, message]),
    ["a", "b"].map((key) => ["f.yaml", 2, key, `error.policy.key-unknown.message {"key":"${key}"}`]),
  );
});

test("told() lets pass what is not ours", async () => {
  const reason = new Error("theirs");
  assert.equal(await told(say, () => Promise.reject(reason)).catch((thrown: unknown) => thrown), reason);
});
