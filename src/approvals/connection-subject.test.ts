// Whatever an answer about a connection is bound to changes the digest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionDigest, type ConnectionSubject } from "./connection-subject.ts";

const base: ConnectionSubject = {
  task: "t-1",
  host: "api.example.com",
  port: 443,
  protocols: ["https"],
  ruleId: "r",
  policyHash: `sha256:${"ab".repeat(32)}`,
};

test("connectionDigest() differs for another task, place, protocol, rule or policy, and for nothing else", () => {
  const others: readonly Partial<ConnectionSubject>[] = [
    { task: "t-2" },
    { host: "api.example.org" },
    { port: 80 },
    { protocols: ["tcp"] },
    { protocols: ["https", "http"] },
    { ruleId: undefined },
    { policyHash: `sha256:${"cd".repeat(32)}` },
  ];
  const digests = new Set(others.map((other) => connectionDigest({ ...base, ...other })).concat(connectionDigest(base)));
  assert.equal(digests.size, others.length + 1);
  assert.equal(connectionDigest({ ...base, protocols: ["https", "http"] }), connectionDigest({ ...base, protocols: ["http", "https"] }));
});
