// SOCKS5: the rows of what is understood, and that everything else ends with an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readSocksGreeting, readSocksRequest, socksReplies } from "./socks-request.ts";

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const named = (name: string, port = 443): Uint8Array =>
  bytes(5, 1, 0, 3, name.length, ...Buffer.from(name, "latin1"), port >> 8, port & 255);

function place(request: Uint8Array): string {
  const reading = readSocksRequest(request);
  if (reading.kind === "read") return `${reading.value.host} ${reading.value.port}`;
  return reading.kind === "invalid" ? `invalid ${reading.reply[1] ?? "silent"}` : reading.kind;
}

test("readSocksGreeting() takes clients that need no authentication", () => {
  assert.deepEqual(readSocksGreeting(bytes(5, 1, 0)), { kind: "read", value: bytes(5, 0) });
  assert.deepEqual(readSocksGreeting(bytes(5, 3, 2, 1, 0)), { kind: "read", value: bytes(5, 0) });
  assert.deepEqual(readSocksGreeting(bytes(5, 1, 2)), { kind: "invalid", reply: bytes(5, 255) });
  assert.deepEqual(readSocksGreeting(bytes(5, 0)), { kind: "invalid", reply: bytes(5, 255) });
  assert.deepEqual(readSocksGreeting(bytes(4, 1, 0)), { kind: "invalid", reply: bytes() });
  assert.deepEqual(readSocksGreeting(bytes(5, 1, 0, 5)), { kind: "invalid", reply: bytes() });
  for (const part of [bytes(), bytes(5), bytes(5, 2, 0)]) assert.deepEqual(readSocksGreeting(part), { kind: "more" });
});

test("readSocksRequest() reads names and addresses in their canonical spelling", () => {
  assert.equal(place(named("API.Example.com.")), "api.example.com 443");
  assert.equal(place(bytes(5, 1, 0, 1, 93, 184, 216, 34, 0, 80)), "93.184.216.34 80");
  assert.equal(place(bytes(5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, ...Array.from({ length: 11 }, () => 0), 1, 1, 187)), "2001:db8::1 443");
  assert.equal(place(bytes(5, 1, 0, 4, ...Array.from({ length: 10 }, () => 0), 255, 255, 127, 0, 0, 1, 0, 80)), "127.0.0.1 80");
  for (const text of ["127.1", "0x7f000001", "2130706433", "017700000001"]) assert.equal(place(named(text)), "127.0.0.1 443", text);
});

test("readSocksRequest() refuses other commands, other addresses, and names that are none", () => {
  assert.equal(place(bytes(5, 2, 0, 1, 1, 1, 1, 1, 0, 80)), `invalid ${socksReplies.commandUnsupported}`);
  assert.equal(place(bytes(5, 3, 0, 1, 1, 1, 1, 1, 0, 80)), `invalid ${socksReplies.commandUnsupported}`);
  assert.equal(place(bytes(5, 1, 0, 2, 1, 1, 1, 1, 0, 80)), `invalid ${socksReplies.addressUnsupported}`);
  assert.equal(place(bytes(5, 1, 1, 1, 1, 1, 1, 1, 0, 80)), `invalid ${socksReplies.failed}`);
  assert.equal(place(bytes(4, 1, 0, 80, 1, 1, 1, 1, 0)), "invalid silent");
  assert.equal(place(named("a.example", 0)), `invalid ${socksReplies.failed}`);
  for (const text of ["", "a\0.example", "a%2e.example", "a..example", "a b", "u@a", "a:80", "a/b", `${"a".repeat(64)}.b`, "[::1]:80"])
    assert.equal(place(named(text)), `invalid ${socksReplies.failed}`, JSON.stringify(text));
  assert.equal(place(Uint8Array.from([...named("a.example"), 1])), `invalid ${socksReplies.failed}`);
});

test("readSocksRequest() waits for every byte", () => {
  const whole = named("a.example");
  for (let length = 0; length < whole.length; length += 1) assert.equal(place(whole.subarray(0, length)), "more", `${length}`);
});

test("readSocksRequest() and readSocksGreeting() never throw, on any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (given) => {
      readSocksGreeting(given);
      readSocksRequest(given);
      readSocksRequest(Uint8Array.from([5, 1, 0, ...given]));
    }),
  );
});
