// Unit tests of the default redaction.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redactDetail } from "./redact.ts";

const canary = "hunter2-canary-value";
const redacted = (detail: Readonly<Record<string, unknown>>): string => JSON.stringify(redactDetail(detail, () => "[redacted:00000000]"));

const hidden: readonly (readonly [string, unknown])[] = [
  ["the password of a URL", `https://user:${canary}@example.org/x`],
  ["a lone token in a URL", `https://${canary}@example.org/x`],
  ["an option and its value", ["tool", "--password", canary, "x"]],
  ["a longer option and its value", ["tool", "--db-api-key", canary]],
  ["an option with an equals sign", ["tool", `--token=${canary}`]],
  ["an option inside a script", `sh -c 'tool --access-token ${canary} x'`],
  ["a quoted value inside a script", `tool --secret "${canary} and more"`],
  ["a variable in a script", `GITHUB_TOKEN=${canary} git push`],
  ["a member with a telling name", { API_TOKEN: canary }],
  ["a bearer header", `Authorization: Bearer ${canary}`],
  ["a GitHub token", `ghs_${canary}aaaaaaaa`],
  ["a JSON web token", `eyJ${canary.replaceAll("-", "")}.eyJhbGciOiJIUzI1NiJ9.${canary}`],
  ["a private key", `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary.replaceAll("-", "")}\n-----END OPENSSH PRIVATE KEY-----`],
];
for (const [what, value] of hidden) {
  test(`redactDetail() hides ${what}`, () => {
    const text = redacted({ deep: [{ value }] });
    assert.ok(JSON.stringify(value).includes("hunter2"), "the canary is planted");
    assert.ok(!text.includes("hunter2"), text);
    assert.ok(text.includes("[redacted:"), text);
  });
}

test("redactDetail() hides cloud access key ids", () => {
  assert.ok(!redacted({ a: "AKIAABCDEFGHIJKLMNOP" }).includes("AKIAABCD"));
});

test("redactDetail() leaves what is no secret as it is", () => {
  const detail = {
    argv: ["git", "push", "https://example.org/a:b", "--tokenizer-off", "--password-stdin", "-v"],
    cwd: "/home/me/secretary",
    count: 3,
    nothing: null,
    url: "ssh://git@example.org:22/x",
    text: "the token is optional",
  };
  assert.deepEqual(
    redactDetail(detail, () => "[x]"),
    detail,
  );
});

test("redactDetail() gives equal secrets the tag that the caller computes for them", () => {
  const seen: string[] = [];
  redactDetail({ a: ["--password", canary], b: `https://u:${canary}@h` }, (secret) => `[redacted:${seen.push(secret)}]`);
  assert.deepEqual(seen, [canary, canary]);
});

test("redactDetail() takes linear time on long hostile text", () => {
  const started = performance.now();
  for (const text of ["a".repeat(300_000), "-".repeat(300_000), "a://".repeat(75_000), "token".repeat(60_000), "eyJ".repeat(100_000)])
    redacted({ text });
  assert.ok(performance.now() - started < 4000, `took ${performance.now() - started} ms`);
});
