// What of a plain request a rule about methods and paths may rely on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainRequest } from "./plain-request.ts";

const asked = (path: string, headers: readonly string[] = [], method = "GET") =>
  plainRequest({ method, rawHeaders: headers }, { host: "a.example", port: 80, authority: "a.example", path });

test("plainRequest() names the method, and the path without its query", () => {
  assert.deepEqual(asked("/v1/a-b_c.~/@scope+x?q=/../%2f", ["Accept", "x"], "POST"), { method: "POST", path: "/v1/a-b_c.~/@scope+x" });
  assert.deepEqual(asked("/?"), { method: "GET", path: "/" });
  assert.equal(asked("/.well-known/...").path, "/.well-known/...");
});

test("plainRequest() names no path that servers may read in two ways", () => {
  const others = [
    "/a/../b",
    "/a/..",
    "/./a",
    "/a/.",
    "//a",
    "/a//b",
    "/a%2fb",
    "/a%2e%2e/b",
    "/%61",
    "/a;x/b",
    "/a/..;/b",
    "/a\\b",
    "*",
    "/\u00e9",
  ];
  for (const path of others) assert.equal(asked(path).path, undefined, path);
  for (const header of ["X-Original-URL", "x-rewrite-url", "X_Original_Url"])
    assert.equal(asked("/a", [header, "/b"]).path, undefined, header);
});

test("plainRequest() names no method that a header replaces", () => {
  for (const header of ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "X_HTTP_Method_Override"])
    assert.deepEqual(asked("/a", [header, "DELETE"]), { method: undefined, path: "/a" }, header);
});
