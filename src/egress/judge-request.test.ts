// Plain HTTP requests: every form that two programs could read in two ways is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forwardedHeaders, judgeConnect, judgeRequest } from "./judge-request.ts";

const host = ["Host", "web.example.com"] as const;
const absolute = "http://web.example.com/a?b";

interface Parts {
  readonly method?: string;
  readonly httpVersion?: string;
  readonly headers?: readonly string[];
}

function place(
  url: string,
  { method = "GET", httpVersion = "1.1", headers = host }: Parts = {},
  form: "absolute" | "origin" = "absolute",
): string {
  const target = judgeRequest({ method, url, httpVersion, rawHeaders: headers }, form);
  return target === undefined ? "refused" : `${target.host} ${target.port} ${target.path} ${target.authority}`;
}

test("judgeRequest() reads the absolute form of a proxy's request", () => {
  assert.equal(place(absolute), "web.example.com 80 /a?b web.example.com");
  assert.equal(place("HTTP://WEB.example.com"), "web.example.com 80 / web.example.com");
  assert.equal(place("http://web.example.com?q"), "web.example.com 80 /?q web.example.com");
  assert.equal(
    place("http://web.example.com:8080/", { headers: ["host", "web.example.com:8080"] }),
    "web.example.com 8080 / web.example.com:8080",
  );
  assert.equal(place(absolute, { headers: [], httpVersion: "1.0" }), "web.example.com 80 /a?b web.example.com");
  assert.equal(place("http://127.1/", { headers: ["Host", "127.0.0.1"] }), "127.0.0.1 80 / 127.0.0.1");
});

test("judgeRequest() reads the origin form of a captured request", () => {
  assert.equal(place("/a?b", {}, "origin"), "web.example.com 80 /a?b web.example.com");
  assert.equal(place("*", { method: "OPTIONS" }, "origin"), "web.example.com 80 * web.example.com");
  assert.equal(place(absolute, {}, "origin"), "refused");
  assert.equal(place("/a", { headers: [] }, "origin"), "refused");
});

test("judgeRequest() refuses targets that are not one plain place", () => {
  const targets = [
    "/a",
    "*",
    "web.example.com",
    "https://web.example.com/",
    "ftp://web.example.com/",
    "http:///a",
    "http://web.example.com@evil.test/",
    "http://user:pw@web.example.com/",
    "http://evil.test\\@web.example.com/",
    "http://web.example.com:0/",
    "http://web.example.com:65536/",
    "http://web.example.com:80:80/",
    "http://web.example.com%2eevil.test/",
    "http://web.example.com../",
    "http://web.example.com/#a",
    "http://[::1/",
    "http://::1/",
    "//web.example.com/",
  ];
  for (const url of targets) assert.equal(place(url), "refused", url);
});

test("judgeRequest() refuses a Host that differs, is missing or is there twice", () => {
  assert.equal(place(absolute, { headers: ["Host", "evil.test"] }), "refused");
  assert.equal(place(absolute, { headers: ["Host", "web.example.com:8080"] }), "refused");
  assert.equal(place(absolute, { headers: ["Host", ""] }), "refused");
  assert.equal(place(absolute, { headers: [] }), "refused");
  assert.equal(place(absolute, { headers: [...host, "hOST", "web.example.com"] }), "refused");
  assert.equal(place(absolute, { headers: ["Host", "WEB.example.com."] }), "web.example.com 80 /a?b web.example.com");
});

test("judgeRequest() knows the one expectation that there is", () => {
  const target = (...more: readonly string[]) =>
    judgeRequest(
      { method: "POST", url: "http://api.example.com/", httpVersion: "1.1", rawHeaders: ["Host", "api.example.com", ...more] },
      "absolute",
    )?.host;
  assert.equal(target("Expect", "100-Continue"), "api.example.com");
  for (const more of [
    ["Expect", "200-maybe"],
    ["Expect", "100-continue, x"],
    ["Expect", "100-continue", "Expect", "100-continue"],
  ])
    assert.equal(target(...more), undefined, more.join(" "));
});

test("judgeRequest() refuses bodies whose length has two readings", () => {
  const framed = (...headers: readonly string[]): string => place(absolute, { method: "POST", headers: [...host, ...headers] });
  assert.notEqual(framed("Content-Length", "5"), "refused");
  assert.notEqual(framed("Transfer-Encoding", "chunked"), "refused");
  for (const headers of [
    ["Content-Length", "5", "Transfer-Encoding", "chunked"],
    ["Content-Length", "5", "Content-Length", "5"],
    ["Content-Length", "+5"],
    ["Content-Length", "0x5"],
    ["Content-Length", "5, 5"],
    ["Content-Length", ""],
    ["Transfer-Encoding", "xchunked"],
    ["Transfer-Encoding", "chunked, identity"],
    ["Transfer-Encoding", "identity"],
    ["Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"],
  ])
    assert.equal(framed(...headers), "refused", headers.join(" "));
  assert.equal(place(absolute, { httpVersion: "1.0", headers: [...host, "Transfer-Encoding", "chunked"] }), "refused");
});

test("judgeRequest() refuses other versions, upgrades, TRACE and heads without measure", () => {
  for (const httpVersion of ["0.9", "2.0", "1.2"]) assert.equal(place(absolute, { httpVersion }), "refused", httpVersion);
  assert.equal(place(absolute, { headers: [...host, "Upgrade", "websocket", "Connection", "Upgrade"] }), "refused");
  assert.equal(place(absolute, { headers: [...host, "Upgrade", "h2c", "HTTP2-Settings", "AA"] }), "refused");
  assert.equal(place(absolute, { method: "TRACE" }), "refused");
  assert.equal(place(absolute, { headers: [...host, ...Array.from({ length: 100 }, () => ["X", "y"]).flat()] }), "refused");
});

const handshake = [
  "Connection",
  "keep-alive, Upgrade",
  "Upgrade",
  "websocket",
  "Sec-WebSocket-Version",
  "13",
  "Sec-WebSocket-Key",
] as const;
const key = "dGhlIHNhbXBsZSBub25jZQ==";

test("judgeRequest() reads a request that is to become a WebSocket where that is asked, and no other upgrade", () => {
  const upgraded = (headers: readonly string[], about: { readonly method?: string; readonly httpVersion?: string } = {}): string => {
    const { method = "GET", httpVersion = "1.1" } = about;
    const found = judgeRequest(
      { method, url: "http://web.example.com/chat", httpVersion, rawHeaders: [...host, ...headers] },
      "absolute",
      true,
    );
    return found === undefined ? "refused" : `${found.host} ${found.port} ${found.path}`;
  };
  assert.equal(upgraded([...handshake, key]), "web.example.com 80 /chat");
  for (const [what, headers, about] of [
    ["no key", handshake.slice(0, -1), {}],
    ["a short key", [...handshake, "AAAA"], {}],
    ["two keys", [...handshake, key, "Sec-WebSocket-Key", key], {}],
    ["another version", [...handshake, key].map((text) => (text === "13" ? "8" : text)), {}],
    ["another protocol", [...handshake, key].map((text) => (text === "websocket" ? "h2c" : text)), {}],
    ["no word of it in Connection", [...handshake.slice(2), key], {}],
    ["a body", [...handshake, key, "Content-Length", "5"], {}],
    ["another method", [...handshake, key], { method: "POST" }],
    ["HTTP/1.0", [...handshake, key], { httpVersion: "1.0" }],
    ["a plain request", [], {}],
  ] as const)
    assert.equal(upgraded(headers, about), "refused", what);
});

test("judgeConnect() wants a host and a port, no more", () => {
  const connect = (url: string, headers: readonly string[] = ["Host", "x"]): string => {
    const found = judgeConnect({ method: "CONNECT", url, httpVersion: "1.1", rawHeaders: headers });
    return found === undefined ? "refused" : `${found.host} ${found.port}`;
  };
  assert.equal(connect("API.example.com:443"), "api.example.com 443");
  assert.equal(connect("[::1]:443"), "::1 443");
  assert.equal(connect("0x7f.1:443"), "127.0.0.1 443");
  for (const url of [
    "api.example.com",
    "api.example.com:443/../x",
    "http://api.example.com:443",
    "u@api.example.com:443",
    "api.example.com:0",
    "::1:443",
    ":443",
  ])
    assert.equal(connect(url), "refused", url);
  assert.equal(connect("a.example:443", ["Host", "x", "Content-Length", "3"]), "refused");
  assert.equal(connect("a.example:443", ["Host", "x", "Transfer-Encoding", "chunked"]), "refused");
  assert.equal(connect("a.example:443", ["Host", "x", "Content-Length", "0"]), "a.example 443");
});

test("forwardedHeaders() keeps everything but what is between client and proxy", () => {
  const raw = [
    "Host",
    "x",
    "Accept",
    "*/*",
    "Connection",
    "close, X-Hop",
    "X-Hop",
    "1",
    "Proxy-Authorization",
    "Basic eA==",
    "Keep-Alive",
    "1",
    "TE",
    "trailers",
    "Expect",
    "100-continue",
    "Content-Length",
    "5",
    "Cookie",
    "a=b",
    "cookie",
    "c=d",
  ];
  assert.deepEqual(forwardedHeaders(raw), ["Accept", "*/*", "Content-Length", "5", "Cookie", "a=b", "cookie", "c=d"]);
  assert.deepEqual(forwardedHeaders(["Connection", "content-length", "Content-Length", "5"]), ["Content-Length", "5"]);
});
