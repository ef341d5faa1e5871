// What a client speaks is judged before a byte of it leaves.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EgressProtocol } from "../contracts/egress-policy.ts";
import { judgeFirstBytes } from "./first-bytes.ts";
import type { Allowed } from "./open-connection.ts";
import { helloBytes } from "./testing/hello-bytes.ts";

const allow = (sni: "required" | "optional", ...protocols: readonly EgressProtocol[]): Allowed =>
  new Map(
    protocols.map((protocol) => [
      protocol,
      {
        verdict: "allow",
        ruleId: "r",
        reasonCode: "rule",
        sni,
        maxRequestBytes: undefined,
        maxResponseBytes: undefined,
        opensAtMs: undefined,
      },
    ]),
  );

function judged(bytes: Uint8Array | string, allowed: Allowed, host = "api.example.com"): string {
  const reading = judgeFirstBytes(Buffer.from(bytes), host, allowed);
  if (reading.kind === "more") return "more";
  return reading.kind === "refused" ? reading.reason : reading.protocol;
}

const https = allow("required", "https");

test("judgeFirstBytes() wants the server name to be the allowed host", () => {
  assert.equal(judged(helloBytes({ serverName: "api.example.com" }), https), "https");
  assert.equal(judged(helloBytes({ serverName: "API.Example.COM" }), https), "https");
  assert.equal(judged(helloBytes({ serverName: "evil.test" }), https), "sni-mismatch");
  assert.equal(judged(helloBytes({ serverName: "api.example.com." }), https), "sni-mismatch");
  assert.equal(judged(helloBytes({ serverName: "api.example.com.evil.test" }), https), "sni-mismatch");
  assert.equal(judged(helloBytes(), https), "sni-missing");
  assert.equal(judged(helloBytes(), allow("optional", "https")), "https");
  assert.equal(judged(helloBytes({ serverName: "evil.test" }), allow("optional", "https")), "sni-mismatch");
});

test("judgeFirstBytes() takes the outer name of a hello that hides another", () => {
  const extensions = [[0xfe0d, Buffer.alloc(120)]] as const;
  assert.equal(judged(helloBytes({ serverName: "front.example", extensions }), https), "sni-mismatch");
  assert.equal(judged(helloBytes({ serverName: "api.example.com", extensions }), https), "https");
});

test("judgeFirstBytes() lets an address be reached without a name, never with one", () => {
  assert.equal(judged(helloBytes(), https, "93.184.216.34"), "https");
  assert.equal(judged(helloBytes({ serverName: "api.example.com" }), https, "93.184.216.34"), "sni-mismatch");
});

test("judgeFirstBytes() refuses what is none of the allowed protocols", () => {
  assert.equal(judged("GET / HTTP/1.1\r\n", https), "protocol");
  assert.equal(judged("SSH-2.0-x\r\n", https), "protocol");
  assert.equal(judged("\0\0\0", https), "protocol");
  assert.equal(judged(helloBytes({ serverName: "api.example.com" }), allow("required", "http", "ssh")), "protocol");
  assert.equal(judged("GET / HTTP/1.1\r\n", allow("required", "ssh")), "protocol");
  assert.equal(judged("get / HTTP/1.1\r\n", allow("required", "http")), "protocol");
  assert.equal(judged(Buffer.from([22, 2, 0]), https), "more");
  assert.equal(judged(Buffer.from([22, 2, 0, 0, 0]), https), "malformed");
});

test("judgeFirstBytes() knows SSH and requests by how they begin, and waits where they could be either", () => {
  const both = allow("required", "http", "ssh");
  assert.equal(judged("", both), "more");
  assert.equal(judged("S", both), "more");
  assert.equal(judged("SSH", both), "more");
  assert.equal(judged("SSH-", both), "ssh");
  assert.equal(judged("SEARCH / HTTP/1.1\r\n", both), "http");
  assert.equal(judged("S", allow("required", "http")), "http");
  assert.equal(judged("SSH1", allow("required", "ssh")), "protocol");
});
