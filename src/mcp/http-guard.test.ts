// refusalOf(): who may speak to the HTTP server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "./http-guard.ts";

const token = "0123456789abcdef0123456789abcdef";
const guarded = { authority: "127.0.0.1:8123", token };
const good = { host: "127.0.0.1:8123", authorization: `Bearer ${token}` };

const rows: readonly (readonly [about: string, headers: Readonly<Record<string, string | undefined>>, status: number | undefined])[] = [
  ["what is right", good, undefined],
  ["the other name of this machine", { ...good, host: "localhost:8123" }, undefined],
  ["its own page", { ...good, origin: "http://127.0.0.1:8123" }, undefined],
  ["another case of the scheme", { ...good, authorization: `bearer ${token}` }, undefined],
  ["no Host", { ...good, host: undefined }, 403],
  ["a name that was made to mean this machine", { ...good, host: "attacker.example:8123" }, 403],
  ["another port", { ...good, host: "127.0.0.1:8124" }, 403],
  ["a page from elsewhere", { ...good, origin: "https://attacker.example" }, 403],
  ["a page of another port", { ...good, origin: "http://127.0.0.1:3000" }, 403],
  ["a page of a file", { ...good, origin: "null" }, 403],
  ["an empty Origin", { ...good, origin: "" }, 403],
  ["no token", { ...good, authorization: undefined }, 401],
  ["an empty token", { ...good, authorization: "Bearer " }, 401],
  ["another token", { ...good, authorization: `Bearer ${token}0` }, 401],
  ["the beginning of the token", { ...good, authorization: `Bearer ${token.slice(0, -1)}` }, 401],
  ["the token by another scheme", { ...good, authorization: `Basic ${token}` }, 401],
  ["two tokens", { ...good, authorization: `Bearer ${token}, Bearer ${token}` }, 401],
];

test("refusalOf() lets through only what names the server as it is called, comes from no other page, and has the token", () => {
  for (const [about, headers, status] of rows) assert.equal(refusalOf({ url: "/mcp", headers }, guarded)?.status, status, about);
});

test("refusalOf() serves one place", () => {
  for (const url of ["/", "/mcp/", "/mcp?x", "//mcp", "http://127.0.0.1:8123/mcp", undefined])
    assert.equal(refusalOf({ url, headers: good }, guarded)?.status, 404, String(url));
});

test("refusalOf() tells nobody without the token which places there are", () => {
  assert.equal(refusalOf({ url: "/other", headers: { host: good.host } }, guarded)?.status, 401);
});
