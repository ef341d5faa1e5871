// The address of a company's proxy, as people write it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProxy } from "./network-settings.ts";

test("parseProxy() reads kind, place and who asks", () => {
  assert.deepEqual(parseProxy("http://proxy.corp.example:3128"), { kind: "http", host: "proxy.corp.example", port: 3128 });
  assert.deepEqual(parseProxy("https://me:p%40ss@proxy.corp.example/"), {
    kind: "https",
    host: "proxy.corp.example",
    port: 443,
    user: "me",
    password: "p@ss",
  });
  assert.deepEqual(parseProxy("socks5://[fd12::1]"), { kind: "socks5", host: "fd12::1", port: 1080 });
});

test("parseProxy() refuses everything else", () => {
  for (const text of [
    "",
    "proxy:3128",
    "ftp://proxy",
    "http://",
    "http://proxy/path",
    "http://proxy/?x",
    "http://a%:b@proxy",
    "socks4://proxy",
  ])
    assert.equal(parseProxy(text), undefined, text);
});
