// The words of the captive network's program, as they come and as they must not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCaptiveMessage, protocolName } from "./captive-messages.ts";

test("parseCaptiveMessage() takes what the program says", () => {
  const said = [
    { kind: "tcp", networks: "two" },
    { kind: "names" },
    { kind: "settled" },
    { kind: "refused", protocol: 17, address: "192.0.2.1", port: 443, sourcePort: 40_000 },
    { kind: "refused", protocol: 58, address: "fe80::1" },
  ];
  for (const message of said) assert.deepEqual(parseCaptiveMessage(message), message);
});

test("parseCaptiveMessage() takes nothing else", () => {
  const refused = { kind: "refused", protocol: 17, address: "192.0.2.1" };
  const never = [
    undefined,
    "tcp",
    { kind: "tcp" },
    { ...refused, address: "\u001b[2J" },
    { ...refused, port: 65_536 },
    { ...refused, more: 1 },
  ];
  for (const message of never) assert.equal(parseCaptiveMessage(message), undefined);
});

test("protocolName() knows the protocols that have a word, and calls the rest other", () => {
  assert.deepEqual([6, 17, 1, 58, 132].map(protocolName), ["tcp", "udp", "icmp", "icmp", "other"]);
});
