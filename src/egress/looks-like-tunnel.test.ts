// Long connections that carry as much one way as the other are told from the usual ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikeTunnel } from "./looks-like-tunnel.ts";

const tunnel = { protocol: "https", sentBytes: 400_000, receivedBytes: 300_000, durationMs: 600_000 } as const;

test("looksLikeTunnel() wants time, bytes both ways in like measure, and a protocol in which nobody looks", () => {
  for (const protocol of ["https", "ws", "tcp"]) assert.ok(looksLikeTunnel({ ...tunnel, protocol }), protocol);
  assert.ok(looksLikeTunnel({ ...tunnel, sentBytes: 16_384, receivedBytes: 32_768, durationMs: 300_000 }));
  const others = [
    { protocol: "http" },
    { protocol: "ssh" },
    { protocol: undefined },
    { durationMs: 299_999 },
    { sentBytes: 16_383, receivedBytes: 16_383 },
    { sentBytes: 149_999 },
    { receivedBytes: 800_001 },
  ];
  for (const other of others) assert.ok(!looksLikeTunnel({ ...tunnel, ...other }), JSON.stringify(other));
});
