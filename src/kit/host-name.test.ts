// Every way to write a host has one meaning or none.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { canonicalHost, isCanonicalName, parseHostPort, showHost, showHostPort } from "./host-name.ts";

function shown(text: string): string | undefined {
  const host = canonicalHost(text);
  return host === undefined ? undefined : showHost(host);
}

test("canonicalHost() turns every spelling of an address into that address", () => {
  const loopback = ["127.0.0.1", "127.1", "127.0.1", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "0177.0.0.1", "017700000001", "2130706433"];
  const written = ["127。0。0。1", "１２７.0.0.1", "①②⑦.0.0.1", "127.0.0.1.", "::ffff:127.0.0.1", "[::ffff:7f00:1]"];
  for (const text of [...loopback, ...written]) assert.equal(shown(text), "127.0.0.1", text);
  for (const text of ["0", "0.0.0.0", "0x", "0x0", "00"]) assert.equal(shown(text), "0.0.0.0", text);
  for (const text of ["169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376"])
    assert.equal(shown(text), "169.254.169.254", text);
  for (const text of ["::1", "[::1]", "[0:0:0:0:0:0:0:1]"]) assert.equal(shown(text), "::1", text);
});

test("canonicalHost() folds case, drops the root's dot and writes other scripts in punycode", () => {
  assert.equal(shown("API.Example.COM"), "api.example.com");
  assert.equal(shown("api.example.com."), "api.example.com");
  assert.equal(shown("аpi.example.com"), "xn--pi-6kc.example.com");
  assert.equal(shown("ｅxample.com"), "example.com");
  assert.equal(shown("_dmarc.example.com"), "_dmarc.example.com");
});

test("canonicalHost() refuses what is neither a name nor an address", () => {
  const rows = [
    "",
    ".",
    "..",
    "a..b",
    "a.b..",
    ".a",
    "a b",
    "a@b",
    "user:pw@a",
    "a:80",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "a%2eb",
    "a\0b",
    "a\nb",
    "*.a",
  ];
  const more = ["[::1", "::1]", "[::1%25eth0]", "fe80::1%1", "[1.2.3.4]", "1.2.3.4.5", "256.1.1.1", "-a.b", "a-.b"];
  const long = [`${"a".repeat(64)}.com`, `${"a.".repeat(127)}ab`, "a".repeat(2000)];
  for (const text of [...rows, ...more, ...long]) assert.equal(shown(text), undefined, JSON.stringify(text.slice(0, 80)));
  assert.equal(shown(`${"a.".repeat(126)}a`)?.length, 253);
});

test("canonicalHost() of what it made is the same again, whatever the text", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.domain(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6());
  fc.assert(
    fc.property(text, (given) => {
      const host = canonicalHost(given);
      if (host === undefined) return;
      assert.deepEqual(canonicalHost(showHost(host)), host);
      if (host.kind === "name") assert.ok(isCanonicalName(host.name), host.name);
    }),
  );
});

test("parseHostPort() wants one port from 1 to 65535 and nothing around it", () => {
  const place = (text: string): string | undefined => {
    const parsed = parseHostPort(text);
    return parsed === undefined ? undefined : showHostPort(parsed.host, parsed.port);
  };
  assert.equal(place("A.example:443"), "a.example:443");
  assert.equal(place("[::1]:80"), "[::1]:80");
  assert.equal(place("127.1:65535"), "127.0.0.1:65535");
  for (const text of ["a", "a:", "a:0", "a:65536", "a:080", "a:+1", "a: 1", "a:1 ", "a:1/x", "::1:80", "u@a:1", ":1", "a:1:1", "a:１"])
    assert.equal(place(text), undefined, text);
});
