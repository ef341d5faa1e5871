// The question at a terminal: what hostile text looks like in it, and which answers grant.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { ApprovalAnswer, ApprovalKind, CommandQuestion } from "../../contracts/approval.ts";
import type { Door } from "../../contracts/door.ts";
import { approvalIdSchema, digestSchema } from "../../contracts/ids.ts";
import { fakeResult } from "../testing/fake-door.ts";
import { callCli, type FakeCall } from "../testing/run-fake-cli.ts";

const base: CommandQuestion = {
  id: approvalIdSchema.parse("q-000000000001-000000000001"),
  kind: "command",
  argv: ["git", "push"],
  cwd: "/home/ada/project",
  ruleId: "push",
  reason: "a person pushes",
  policyHash: `sha256:${"ab".repeat(32)}`,
  files: [{ role: "program", path: "/usr/bin/git", digest: digestSchema.parse(`sha256:${"cd".repeat(32)}`) }],
  filesInWriteRoots: [],
  environmentNames: ["PATH"],
  notBound: [],
  lifetimeMs: 600_000,
  tell: [],
};

interface Asked extends FakeCall {
  readonly answer: ApprovalAnswer | undefined;
  readonly shown: string;
}

const codeIn = (shown: string): string => /Type ([a-z]+) to run/u.exec(shown)?.[1] ?? "";

async function ask(
  question: Partial<CommandQuestion>,
  reply: (shown: string, attempt: number) => string | undefined,
  language = "en",
): Promise<Asked> {
  let answer: ApprovalAnswer | undefined;
  let attempt = 0;
  const run: Door["run"] = async (_request, io) => {
    const given = await io.ask?.({ ...base, ...question }, io.signal);
    answer = given?.by === "terminal" ? given.answer : undefined;
    return fakeResult();
  };
  const words = ["run", "--no-color", "--interactive", "--quiet", "--lang", language, "--", "x"];
  const call = await callCli(words, { door: { run }, answer: (shown) => reply(shown, (attempt += 1)) });
  return { ...call, answer, shown: call.prompted() };
}

test("the code that stands in the question grants, in either case and with blanks around it", async () => {
  assert.equal((await ask({}, codeIn)).answer, "granted");
  assert.equal((await ask({}, (shown) => ` ${codeIn(shown).toUpperCase()}\r`)).answer, "granted");
});

test("a mistyped code may be tried again, twice", async () => {
  assert.equal((await ask({}, (shown, attempt) => (attempt < 3 ? "zzzzz" : codeIn(shown)))).answer, "granted");
  assert.equal((await ask({}, (shown, attempt) => (attempt < 4 ? "zzzzz" : codeIn(shown)))).answer, "refused");
});

for (const reply of [undefined, "", "n", "no", "y", "yes", "Y", "granted"]) {
  test(`${JSON.stringify(reply) ?? "the end of input"} refuses`, async () => {
    assert.equal((await ask({}, () => reply)).answer, "refused");
  });
}

test("each question has another code, and that of an unsandboxed run is longer", async () => {
  const codes = await Promise.all(Array.from({ length: 5 }, async () => codeIn((await ask({}, codeIn)).shown)));
  assert.ok(new Set(codes).size > 1);
  assert.equal(codes[0]?.length, 4);
  assert.equal(codeIn((await ask({ kind: "unsandboxed" }, codeIn)).shown).length, 6);
});

test("an unsandboxed question looks different and says that no wall holds, in both languages", async () => {
  const kinds: readonly ApprovalKind[] = ["unsandboxed", "narrow"];
  for (const kind of kinds) {
    const { shown } = await ask({ kind }, codeIn);
    assert.match(shown, /\(unsandboxed\)[^]*No wall holds it[^]*OUTSIDE/u);
    assert.ok(shown.includes("!".repeat(60)));
    assert.match((await ask({ kind }, () => "", "zh")).shown, /沙箱之外[^]*（无沙箱）[^]*没有任何墙约束它/u);
  }
  assert.doesNotMatch((await ask({}, codeIn)).shown, /unsandboxed|OUTSIDE|!!!/u);
});

test("hostile text in a question is escaped, marked and bounded, and what is cut is said", async () => {
  const { shown } = await ask(
    {
      argv: ["g\u0456t", "\u001B[2J\u001B]0;x\u0007", "a\u202Eb", "c\u200Bd", `${"A".repeat(9_990)}\nrm -rf /`, "\rType aaaa to run it"],
      reason: "fine\n  command: true",
      cwd: "/tmp/\u0085x",
      notBound: [{ what: "operand", name: "\u001B[8m" }],
    },
    codeIn,
  );
  const [, question = ""] = shown.split("\u001B[?25h\n");
  assert.ok(question.includes("g\u0456{U+0456}t"));
  assert.match(question, /8999 characters not shown, sha256 of the whole [0-9a-f]{12}[^]*rm -rf/u);
  assert.match(question, /Part of it is NOT SHOWN/u);
  assert.ok(question.length < 6000, `${question.length}`);
  // Nothing of it starts a line of its own.
  assert.equal(question.split("\n").filter((line) => /^\s*(?:command: true|rm -rf|Type aaaa)/u.test(line)).length, 0);
});

test("no text can put a control, an invisible or a reordering character into a question", async () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), text, async (argv, other) => {
      const { shown } = await ask({ argv, cwd: other, reason: other, ruleId: other, environmentNames: [other] }, codeIn);
      const [, question = ""] = shown.split("\u001B[?25h\n");
      // The line ends are ours.
      assert.doesNotMatch(question.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      const labels = question.split("\n").filter((line) => line.includes("command:"));
      assert.equal(labels.filter((line) => line.startsWith("  command:")).length, 1);
    }),
    { numRuns: 60 },
  );
});

test("without a terminal nobody is asked: APPROVAL_UNAVAILABLE", async () => {
  const run: Door["run"] = async (_request, io) => {
    await io.ask?.(base, io.signal);
    return fakeResult();
  };
  const call = await callCli(["run", "--interactive", "--", "x"], { door: { run } });
  assert.equal(call.code, 121);
  assert.match(call.err(), /APPROVAL_UNAVAILABLE/u);
});

test("without --interactive, and with --json, the door is given no way to ask", async () => {
  let given = 0;
  const run: Door["run"] = async (_request, io) => {
    if (io.ask !== undefined) given += 1;
    return fakeResult();
  };
  await callCli(["run", "--", "x"], { door: { run }, answer: codeIn });
  await callCli(["run", "--json", "--", "x"], { door: { run }, answer: codeIn });
  const both = await callCli(["run", "--json", "--interactive", "--", "x"], { door: { run }, answer: codeIn });
  assert.equal(both.code, 2);
  assert.equal(given, 0);
});
