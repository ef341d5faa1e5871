// A leaf's bytes are assembled by hand for speed; this holds them to the canonical form.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { envelopeSchema, recordBodySchemas } from "../contracts/ledger-record.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import { readLink, recordBytes } from "./stored-bytes.ts";
import { steppingClock } from "./testing/ledger-fixture.ts";

const hex = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`, "u"));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const id = (prefix: string): fc.Arbitrary<string> => fc.tuple(hex(12), hex(12)).map(([time, random]) => `${prefix}-${time}-${random}`);

const record = fc.record({
  type: fc.constant("execution.refused" as const),
  task: maybe(id("t")),
  action: maybe(id("a")),
  policy: maybe(hex(64).map((digits) => `sha256:${digits}`)),
  bodyText: fc.stringMatching(/^[A-Z]{1,9}$/u).map((code) => canonicalJson({ code })),
  blob: maybe(hex(64).map((digits) => ({ digest: `sha256:${digits}` as never, bytes: 5 }))),
});

test("recordBytes() gives canonical bytes that the contract's schemas accept, whatever is absent", () => {
  fc.assert(
    fc.property(record, hex(32), hex(64), fc.nat(), (prepared, log, prev, seq) => {
      const bytes = recordBytes(prepared, { log: `l-${log}`, prev, seq }, steppingClock());
      const parsed: unknown = JSON.parse(bytes.toString("utf8"));
      assert.equal(bytes.toString("utf8"), canonicalJson(parsed));
      const envelope = envelopeSchema().parse(parsed);
      assert.ok(recordBodySchemas["execution.refused"]().parse(envelope.body));
      assert.deepEqual([envelope.task, envelope.action, envelope.policy], [prepared.task, prepared.action, prepared.policy]);
      assert.deepEqual(envelope.blob, prepared.blob);
      assert.deepEqual(readLink(bytes), { log: `l-${log}`, seq, prev, type: prepared.type, segment: undefined });
    }),
  );
});

test("readLink() gives nothing for bytes that are no record", () => {
  for (const text of ["", "{", "null", "[]", "{}", '{"log":1,"seq":0,"prev":"","type":""}'])
    assert.equal(readLink(Buffer.from(text)), undefined, text);
});
