// In-sandbox DNS: what is answered, what does not exist, and that hostile datagrams get a short answer or none.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { answerDns, type DnsParts } from "./answer-dns.ts";
import { PlaceholderNames } from "./placeholder-names.ts";

interface QueryParts {
  readonly type?: number;
  readonly kind?: number;
  readonly flags?: number;
  readonly counts?: readonly [number, number, number, number];
  readonly labels?: readonly Uint8Array[];
  readonly tail?: Uint8Array;
}

function query(
  name: string,
  { type = 1, kind = 1, flags = 0x0100, counts = [1, 0, 0, 0], labels, tail = new Uint8Array() }: QueryParts = {},
): Buffer {
  const numbers = [0xabcd, flags, ...counts].flatMap((value) => [value >> 8, value & 255]);
  const parts = labels ?? name.split(".").map((label) => Buffer.from(label, "latin1"));
  const encoded = parts.flatMap((label) => [label.length, ...label]);
  return Buffer.from([...numbers, ...encoded, 0, type >> 8, type & 255, kind >> 8, kind & 255, ...tail]);
}

function world(allowed: readonly string[] = ["a.example.com"]) {
  const refusals: string[] = [];
  const names = new PlaceholderNames();
  const parts: DnsParts = {
    names,
    mayName: (name) => allowed.includes(name),
    takeName: (name) => name !== "full.example.com",
    refused: (name, reason) => void refusals.push(`${name} ${reason}`),
  };
  return { parts, names, refusals };
}

/** `code answers last-bytes` */
function answer(datagram: Uint8Array, parts: DnsParts): string {
  const bytes = answerDns(datagram, parts);
  if (bytes === undefined) return "silence";
  const view = Buffer.from(bytes);
  assert.equal(view.readUInt16BE(0), 0xabcd);
  assert.ok((view.readUInt16BE(2) & 0x8000) !== 0);
  const count = view.readUInt16BE(6);
  const length = count === 0 ? 0 : view.readUInt16BE(query("a.example.com").length + 10);
  return `${view.readUInt16BE(2) & 15} ${count}${count === 0 ? "" : ` ${view.subarray(-length).toString("hex")}`}`;
}

test("answerDns() gives an allowed name addresses that stand for it, the same each time", () => {
  const { parts, names, refusals } = world();
  assert.equal(answer(query("a.example.com"), parts), "0 1 c6120100");
  assert.equal(answer(query("A.Example.COM", { type: 28 }), parts), "0 1 fd676c6f766500000000000000000000");
  assert.equal(answer(query("a.example.com"), parts), "0 1 c6120100");
  assert.equal(names.nameOf("198.18.1.0"), "a.example.com");
  assert.equal(names.nameOf("fd67:6c6f:7665::"), "a.example.com");
  assert.equal(names.nameOf("198.18.1.1"), undefined);
  assert.deepEqual(refusals, []);
});

test("answerDns() has nothing else of an allowed name: no HTTPS or SVCB, no mail, no texts", () => {
  const { parts } = world();
  for (const type of [64, 65, 15, 16, 33, 255, 6]) assert.equal(answer(query("a.example.com", { type }), parts), "0 0", `${type}`);
});

test("answerDns() says of every other name that there is none, and tells of it", () => {
  const { parts, refusals } = world();
  assert.equal(answer(query("data.evil.test"), parts), "3 0");
  assert.equal(answer(query("data.evil.test", { type: 65 }), parts), "3 0");
  assert.equal(answer(query("1.0.0.127.in-addr.arpa", { type: 12 }), parts), "3 0");
  assert.deepEqual(refusals, ["data.evil.test default", "data.evil.test default"]);
});

test("answerDns() knows the sandbox's own loopback", () => {
  const { parts, refusals } = world();
  assert.match(answer(query("localhost"), parts), /^0 1/u);
  assert.deepEqual(refusals, []);
});

test("answerDns() refuses more names than are taken", () => {
  const { parts, refusals } = world(["full.example.com"]);
  assert.equal(answer(query("full.example.com"), parts), "5 0");
  assert.deepEqual(refusals, ["full.example.com limit-names"]);
});

test("answerDns() refuses what is no plain question", () => {
  const { parts } = world();
  const rows: readonly (readonly [string, Buffer, string])[] = [
    ["a response", query("a.example.com", { flags: 0x8000 }), "silence"],
    ["no header", Buffer.alloc(11), "silence"],
    ["another operation", query("a.example.com", { flags: 0x2800 }), "4 0"],
    ["no question", query("a.example.com", { counts: [0, 0, 0, 0] }), "1 0"],
    ["two questions", query("a.example.com", { counts: [2, 0, 0, 0] }), "1 0"],
    ["an answer in a question", query("a.example.com", { counts: [1, 1, 0, 0] }), "1 0"],
    ["another class", query("a.example.com", { kind: 3 }), "5 0"],
    ["a compressed name", Buffer.from([...query("a").subarray(0, 12), 0xc0, 0x0c, 0, 1, 0, 1]), "1 0"],
    ["a pointer to itself", Buffer.from([...query("a").subarray(0, 12), 1, 97, 0xc0, 0x0c, 0, 1, 0, 1]), "1 0"],
    [
      "an endless name",
      Buffer.from([...query("a").subarray(0, 12), ...Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? 1 : 97))]),
      "1 0",
    ],
    ["a zero in a label", query("", { labels: [Buffer.from("a\0b")] }), "3 0"],
    ["cut short", query("a.example.com").subarray(0, -1), "1 0"],
  ];
  for (const [name, datagram, expected] of rows) assert.equal(answer(datagram, parts), expected, name);
});

test("answerDns() ignores what stands behind the question", () => {
  const { parts } = world();
  const tail = Buffer.from([0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]);
  assert.equal(answer(query("a.example.com", { counts: [1, 0, 0, 1], tail }), parts), "0 1 c6120100");
});

test("answerDns() never throws and never answers with more than a little beyond the question", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (noise, hasHeader) => {
      const { parts } = world();
      const datagram = hasHeader ? Buffer.from([...query("a.example.com").subarray(0, 12), ...noise]) : noise;
      assert.ok((answerDns(datagram, parts)?.length ?? 0) <= datagram.length + 28);
    }),
  );
});
