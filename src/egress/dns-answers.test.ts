// What is answered from memory is what would be judged, for as long as the rules are the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DnsAnswers } from "./dns-answers.ts";
import { PlaceholderNames } from "./placeholder-names.ts";

const codeAt = 3;
const countAt = 7;
const port = 40_000;

function question(number: number, name: string, type = 1): Buffer {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([number >> 8, number & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, type, 0, 1]);
}

function world() {
  const seen = { judged: [] as string[], refused: [] as string[], allowed: ["a.example.com"], rules: 0 };
  const answers = new DnsAnswers({
    names: new PlaceholderNames(),
    rulesNow: () => seen.rules,
    mayName: (name) => {
      seen.judged.push(name);
      return seen.allowed.includes(name);
    },
    takeName: () => true,
    refused: (name) => void seen.refused.push(name),
  });
  return { answers, seen };
}

test("DnsAnswers judges a question once, and gives each asker its own number", () => {
  const { answers, seen } = world();
  const ask = (number: number, type = 1): readonly number[] => [...(answers.to(question(number, "a.example.com", type), port) ?? [])];
  const [first, second] = [ask(0x0102), ask(0x0304)];
  assert.deepEqual(first.slice(0, 2), [1, 2]);
  assert.deepEqual(second.slice(0, 2), [3, 4]);
  assert.deepEqual(first.slice(2), second.slice(2));
  assert.deepEqual(seen.judged, ["a.example.com"]);
  assert.notDeepEqual(ask(0x0102, 28), first);
});

test("DnsAnswers tells of each refusal, and remembers none", () => {
  const { answers, seen } = world();
  assert.equal((answers.to(question(1, "b.example.com"), port)?.[codeAt] ?? 0) & 15, 3);
  answers.to(question(2, "b.example.com"), port);
  assert.deepEqual(seen.refused, ["b.example.com", "b.example.com"]);
});

test("DnsAnswers lets other rules say something else", () => {
  const { answers, seen } = world();
  assert.equal((answers.to(question(1, "a.example.com"), port)?.[codeAt] ?? 0) & 15, 0);
  seen.allowed = [];
  seen.rules += 1;
  assert.equal((answers.to(question(2, "a.example.com"), port)?.[codeAt] ?? 0) & 15, 3);
  assert.deepEqual(seen.refused, ["a.example.com"]);
});

test("DnsAnswers keeps a bounded number of questions, and none that is long", () => {
  const { answers, seen } = world();
  const ask = (tail: Buffer): void => void answers.to(Buffer.concat([question(1, "a.example.com"), tail]), port);
  for (const _ of [1, 2]) ask(Buffer.alloc(400));
  assert.equal(seen.judged.length, 2);
  const tails = Array.from({ length: 1100 }, (_, index) => Buffer.from([index >> 8, index & 255]));
  for (const tail of [...tails, ...tails]) ask(tail);
  assert.equal(seen.judged.length, 2 + 1100 + (1100 - 1024));
});

test("DnsAnswers gives whoever asks for both families one address, and whoever asks for one what it asks for", () => {
  const { answers, seen } = world();
  const [a, aaaa] = [1, 28];
  /** Code and number of addresses. */
  const ask = (type: number, from: number, name = "a.example.com"): readonly number[] => {
    const answer = answers.to(question(type, name, type), from) ?? [];
    return [(answer[codeAt] ?? 0) & 15, answer[countAt] ?? 0];
  };
  for (const round of ["judged", "from memory"]) {
    assert.deepEqual(
      [ask(a, 1), ask(aaaa, 1)],
      [
        [0, 1],
        [0, 0],
      ],
      `both, ${round}`,
    );
    assert.deepEqual(
      [ask(aaaa, 2), ask(a, 2)],
      [
        [0, 1],
        [0, 1],
      ],
      `the other first, ${round}`,
    );
    assert.deepEqual(
      [ask(a, 3), ask(aaaa, 4)],
      [
        [0, 1],
        [0, 1],
      ],
      `two askers, ${round}`,
    );
    assert.deepEqual(
      [ask(a, 5), ask(aaaa, 5), ask(aaaa, 5)],
      [
        [0, 1],
        [0, 0],
        [0, 1],
      ],
      `once more, ${round}`,
    );
  }
  seen.allowed = ["a.example.com", "b.example.com"];
  assert.deepEqual(
    [ask(a, 6), ask(aaaa, 6, "b.example.com")],
    [
      [0, 1],
      [0, 1],
    ],
    "two names",
  );
  assert.deepEqual(
    [ask(a, 7, "localhost"), ask(aaaa, 7, "localhost")],
    [
      [0, 1],
      [0, 1],
    ],
    "loopback has both",
  );
  assert.deepEqual(
    [ask(a, 8, "c.example.com"), ask(aaaa, 8, "c.example.com")],
    [
      [3, 0],
      [3, 0],
    ],
    "no name",
  );
});
