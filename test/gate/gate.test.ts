// The gate's own process before hostile clients, a broken ledger and its own death: test/fixtures/gate-cases.ts on a machine without anything else.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { z } from "zod";
import { runAlone } from "../fixtures/alone-results.ts";

let results: ReadonlyMap<string, unknown>;

before(async () => {
  results = await runAlone("gate-cases.ts");
});

function resultOf<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(results.get(name));
}

test("each form of a request gets its answer, and only what was allowed arrives", () => {
  const { answers, arrived } = resultOf(
    "forms",
    z.strictObject({ answers: z.record(z.string(), z.string()), arrived: z.array(z.string()) }),
  );
  const allowed = ["plain", "with a body", "GET with a body", "chunked"];
  const denied = ["another name", "CONNECT another port", "CONNECT loopback", "CONNECT loopback in hex"];
  assert.ok(Object.keys(answers).length >= 30);
  for (const [name, status] of Object.entries(answers)) {
    const expected = allowed.includes(name) ? "200" : denied.includes(name) ? "403" : "400";
    assert.equal(status, expected, name);
  }
  assert.deepEqual(arrived, ["web /a", "web /b", "web /c", "web /d"]);
});

test("a refused request and a refused CONNECT are answered with what was refused and who says what would allow it, HEAD with no body", () => {
  const { get, head, connect } = resultOf("refusals", z.strictObject({ get: z.string(), head: z.string(), connect: z.string() }));
  for (const [answer, place] of [
    [get, "evil.test:80"],
    [connect, "raw.example.com:22"],
  ] as const) {
    const [headers = "", body = ""] = answer.split("\r\n\r\n");
    assert.ok(headers.startsWith("HTTP/1.1 403 Forbidden\r\nX-Glovebox-Refused: default\r\nContent-Type: text/plain"), headers);
    assert.ok(headers.includes(`\r\nContent-Length: ${body.length}\r\n`) && !/transfer-encoding/iu.test(headers), headers);
    assert.ok(body.startsWith(`Glovebox refused a connection to ${place}.\nReason: default\nRule: none\n`), body);
    assert.ok(body.includes(`"glovebox egress explain ${place}"`), body);
  }
  assert.equal(head, `${get.split("\r\n\r\n")[0]}\r\n\r\n`);
});

test("a client that does not finish its head is told so after ten seconds", () => {
  assert.deepEqual(results.get("slowHeader"), ["408", "408", "408"]);
});

test("clients that vanish at any byte leave a gate that serves the next", () => {
  assert.deepEqual(results.get("vanishing"), { count: 114, after: "200" });
});

test("more connections than the policy allows are refused, and let in when one has ended", () => {
  const refused = ["HTTP/1.1 403 Forbidden", "X-Glovebox-Refused: limit-connections"];
  assert.deepEqual(results.get("connectionLimit"), { third: refused, fourth: "open" });
});

test("when the task has sent all it may, nothing leaves any more", () => {
  assert.deepEqual(results.get("byteLimit"), { echoed: "", ends: ["limit-bytes", "limit-bytes"], refusals: ["limit-bytes 2"] });
});

test("when a decision cannot be recorded nothing leaves", () => {
  const asked = ["allow rule", "deny unrecorded", "allow rule", "deny unrecorded"];
  assert.deepEqual(results.get("unrecorded"), { answers: ["403", "403"], arrived: [], asked });
  assert.deepEqual(results.get("neverRecorded"), { answer: "", arrived: [] });
});

test("when a decision cannot be recorded any more, what is open ends too, until the ledger is there again", () => {
  const ends = ["raw.example.com unrecorded", "web.example.com unrecorded", "raw.example.com unrecorded"];
  const expected = { another: "403", same: "HTTP/1.1 403", meanwhile: [], later: "HTTP/1.1 200", ends };
  assert.deepEqual(results.get("failingLedger"), expected);
});

test("the death of the gate ends every connection, and nothing leaves after it", () => {
  assert.deepEqual(results.get("death"), { summary: null, isGone: true, refused: "", arrived: [] });
});

test("a thousand connections that nobody reads from are held back, not collected", () => {
  const schema = z.strictObject({ count: z.int(), answer: z.string(), grownMiB: z.number(), fullMiB: z.number() });
  const { count, answer, grownMiB, fullMiB } = resultOf("thousand", schema);
  assert.deepEqual([count, answer], [1000, "200"]);
  // 250 MiB were sent that nobody took.
  assert.ok(grownMiB < 60 && fullMiB < 160, JSON.stringify({ grownMiB, fullMiB }));
});

test("whoever has ended its half still hears everything, and is heard", () => {
  assert.deepEqual(results.get("halfOpen"), { echoed: [100_000], arrived: ["heard 300000"] });
});

test("a client that reads slowly gets exactly what was sent", () => {
  assert.deepEqual(results.get("slowReader"), { bytes: 16 << 20, isSame: true });
});

test("a gate whose descriptors are used up carries what is open, opens no more, and opens again when there are some", () => {
  const schema = z.strictObject({ opened: z.int(), refused: z.int(), echoed: z.string(), after: z.string(), isGone: z.boolean() });
  const { opened, refused, ...rest } = resultOf("fullTable", schema);
  assert.deepEqual(rest, { echoed: "still there", after: "200", isGone: false });
  assert.ok(opened <= 3 && opened + refused === 40, JSON.stringify({ opened, refused }));
});

test("more new names than a minute may have are refused, and a known one is not", () => {
  assert.deepEqual(results.get("manyNames"), { taken: 120, again: "ask" });
});

test("what a server has packed is carried as it came, and counts as that", () => {
  assert.deepEqual(results.get("packedAnswer"), { isSame: true, isCountedPacked: true });
});

test("one gate serves several sandboxes, each by its own rules and limits, and its death ends them all", () => {
  assert.deepEqual(results.get("twoSandboxes"), {
    beyond: "HTTP/1.1 403",
    beside: "0 hello",
    after: "0 hello again",
    own: [["allow connect", "deny connect"], ["allow socks"]],
    ofFirst: 1,
    ofSecond: null,
  });
});

test("a gate that does not start keeps no listener of its sandbox", () => {
  assert.deepEqual(results.get("goneEarly"), { failure: "Error: The gate is not there", after: "HTTP/1.1 200 OK" });
});

test("SOCKS5 clients get what the rules allow, by name, and no other command", () => {
  assert.deepEqual(results.get("socks"), {
    allowed: "0 hello",
    http: "0 HTTP/1.1 200 OK",
    otherHost: "0 HTTP/1.1 403 Forbidden",
    otherName: "2",
    literalAsName: "2",
    address: "2",
    bind: "7",
    udp: "7",
    early: 0,
    arrived: ["echo", "web /s"],
  });
});
