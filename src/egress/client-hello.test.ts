// The server name of a ClientHello: found in honest ones, whatever surrounds it, and never in anything that could be read in two ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { longestHello, readClientHello } from "./client-hello.ts";
import { helloBytes } from "./testing/hello-bytes.ts";

const named = { kind: "hello", serverName: "api.example.com" } as const;

test("readClientHello() finds the server name, also behind other extensions and across records", () => {
  assert.deepEqual(readClientHello(helloBytes({ serverName: "api.example.com" })), named);
  const extensions = [
    [0xfe0d, Buffer.alloc(200)],
    [16, Buffer.from([0, 3, 2, 104, 50])],
  ] as const;
  assert.deepEqual(readClientHello(helloBytes({ serverName: "api.example.com", extensions })), named);
  assert.deepEqual(readClientHello(helloBytes({ serverName: "api.example.com", cuts: [1, 2, 40] })), named);
  assert.deepEqual(readClientHello(helloBytes()), { kind: "hello", serverName: undefined });
});

test("readClientHello() waits for every byte, and for no more", () => {
  const whole = helloBytes({ serverName: "api.example.com", cuts: [30] });
  for (let length = 0; length < whole.length; length += 1)
    assert.deepEqual(readClientHello(whole.subarray(0, length)), { kind: "more" }, `${length}`);
  assert.deepEqual(readClientHello(whole), named);
});

test("readClientHello() refuses what could be read in two ways or is no ClientHello", () => {
  const good = helloBytes({ serverName: "a.example" });
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(good);
    bytes[at] = value;
    return bytes;
  };
  const rows: Readonly<Record<string, Buffer>> = {
    "another record type": changed(0, 23),
    "another major version": changed(1, 2),
    "an empty record": Buffer.from([22, 3, 1, 0, 0]),
    "a record that is too long": Buffer.from([22, 3, 1, 0xff, 0xff]),
    "another handshake message": changed(5, 2),
    "a message longer than any": Buffer.from([22, 3, 1, 0, 4, 1, 1, 0, 0]),
    "two names": helloBytes({ serverName: "a.example", extensions: [[0, Buffer.from([0, 4, 0, 0, 1, 98])]] }),
    "the same extension twice": helloBytes({
      extensions: [
        [5, Buffer.alloc(1)],
        [5, Buffer.alloc(1)],
      ],
    }),
    "another type of name": helloBytes({ serverName: "a.example", nameType: 1 }),
    "an empty name": helloBytes({ serverName: "" }),
    "a name with NUL": helloBytes({ serverName: "a.example\0b" }),
    "a name with a space": helloBytes({ serverName: "a example" }),
    "a name beyond ASCII": helloBytes({ serverName: "\u00e4.example" }),
    "no suites": helloBytes({ suites: 0 }),
    "bytes behind the extensions": helloBytes({ serverName: "a.example", trailing: 1 }),
    "many records": helloBytes({ serverName: "a.example", cuts: Array.from({ length: 20 }, () => 1) }),
  };
  for (const [name, bytes] of Object.entries(rows)) assert.deepEqual(readClientHello(bytes), { kind: "invalid" }, name);
  assert.deepEqual(readClientHello(Buffer.alloc(longestHello + 1, 22).fill(3, 1, 2)), { kind: "invalid" });
});

test("readClientHello() never throws and never finds a name that is not in the bytes", () => {
  const honest = fc.record({ serverName: fc.domain(), cuts: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }) });
  const edits = fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(honest, edits, (parts, changes) => {
      const bytes = helloBytes(parts);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      const reading = readClientHello(bytes);
      if (reading.kind === "hello" && reading.serverName !== undefined && parts.cuts.length === 0)
        assert.ok(bytes.includes(reading.serverName));
    }),
    { numRuns: 500 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readClientHello(bytes)));
});
