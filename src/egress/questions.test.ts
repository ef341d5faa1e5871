// Each place is asked about once, what was answered holds until the policy changes, and nobody is asked without end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressAnswer, EgressQuestion } from "../contracts/egress-record.ts";
import { mostQuestions, protocolsToAsk, Questions } from "./questions.ts";

const place = (host: string, port = 443): EgressQuestion => ({ host, port, protocols: ["https"], via: "connect" });

function asking(answer: () => EgressAnswer): { readonly questions: Questions; readonly asked: string[] } {
  const asked: string[] = [];
  const questions = new Questions(async ({ host, port }) => {
    asked.push(`${host} ${port}`);
    return answer();
  });
  return { questions, asked };
}

test("Questions asks about each name and port once, whoever waits", async () => {
  for (const answer of ["granted", "refused", "nobody"] as const) {
    const { questions, asked } = asking(() => answer);
    const all = [place("a.test"), place("a.test"), place("b.test"), place("a.test", 80)].map((each) => questions.ask(each));
    assert.deepEqual(await Promise.all(all), [answer, answer, answer, answer]);
    assert.equal(await questions.ask(place("a.test")), answer);
    assert.deepEqual(asked, ["a.test 443", "b.test 443", "a.test 80"]);
  }
});

test("Questions may ask again about what nobody answered, but not without end", async () => {
  const { questions, asked } = asking(() => "unanswered");
  for (let round = 0; round < mostQuestions; round += 1) assert.equal(await questions.ask(place("a.test")), "unanswered");
  assert.equal(await questions.ask(place("b.test")), "too-many");
  assert.equal(asked.length, mostQuestions);
});

test("Questions forgets its answers with the policy that they were given under", async () => {
  const { questions, asked } = asking(() => "granted");
  await questions.ask(place("a.test"));
  questions.forget();
  await questions.ask(place("a.test"));
  assert.equal(asked.length, 2);
});

test("protocolsToAsk() asks for the usual of a port and for no more", () => {
  const all = ["https", "http", "ssh", "tcp"] as const;
  assert.deepEqual(
    [443, 80, 22, 5432].map((port) => protocolsToAsk(port, all).join()),
    ["https", "http", "ssh", "tcp"],
  );
  assert.deepEqual(protocolsToAsk(8080, ["http"]), ["http"]);
  assert.deepEqual(protocolsToAsk(8443, ["https", "http"]), ["https", "http"]);
});
