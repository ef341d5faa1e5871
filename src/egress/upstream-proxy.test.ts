// When a company's proxy is left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { skipsProxy } from "./upstream-proxy.ts";

test("skipsProxy() knows names, all below them, and ranges of what they resolve to", () => {
  const list = [".corp.example", "*.intra.example", "one.example", "10.0.0.0/8", "192.168.1.5"];
  const rows: readonly (readonly [string, readonly string[], boolean])[] = [
    ["a.corp.example", [], true],
    ["corp.example", [], true],
    ["xcorp.example", [], false],
    ["a.b.intra.example", [], true],
    ["one.example", [], true],
    ["x.one.example", [], true],
    ["two.example", [], false],
    ["two.example", ["10.1.2.3"], true],
    ["two.example", ["11.1.2.3", "192.168.1.5"], true],
    ["10.9.9.9", [], true],
    ["9.9.9.9", [], false],
  ];
  for (const [host, addresses, expected] of rows) assert.equal(skipsProxy(list, host, addresses), expected, host);
  assert.ok(skipsProxy(["*"], "any.example", []));
  assert.ok(!skipsProxy([], "any.example", []));
});
