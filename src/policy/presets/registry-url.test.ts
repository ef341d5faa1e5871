// Addresses of registries in every spelling; no secret gets through.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, property, stringMatching } from "fast-check";
import { readRegistryUrl } from "./registry-url.ts";

test("readRegistryUrl() finds host, port and protocol in every spelling that package managers use", () => {
  const rows = [
    ["https://registry.example/", "registry.example", 443, "https"],
    ["http://mirror.example:8081/simple", "mirror.example", 8081, "http"],
    ["HTTPS://Registry.Example.", "registry.example", 443, "https"],
    ["sparse+https://index.example/", "index.example", 443, "https"],
    ["registry+https://index.example/x", "index.example", 443, "https"],
    ["https://[2001:db8::7]:4873/", "2001:db8::7", 4873, "https"],
    ["http://127.1:4873", "127.0.0.1", 4873, "http"],
    ["ssh://git@code.example/index.git", "code.example", 22, "ssh"],
    ["https://bücher.example/", "xn--bcher-kva.example", 443, "https"],
  ] as const;
  for (const [text, host, port, protocol] of rows) {
    const url = readRegistryUrl(text);
    assert.deepEqual([url?.host, url?.port, url?.protocol], [host, port, protocol], text);
  }
});

test("readRegistryUrl() takes nothing for a registry that is no address of one", () => {
  for (const text of ["", "registry.example", "ftp://registry.example/", "file:///srv/index", "https://", "https://a b/", "${REGISTRY}/x"])
    assert.equal(readRegistryUrl(text), undefined, text);
});

test("readRegistryUrl() leaves user, password, query and fragment out of the clean address", () => {
  const rows = [
    ["https://ann:s3cret@registry.example/a", "https://registry.example/a"],
    ["https://s3cret@registry.example/a", "https://registry.example/a"],
    ["https://registry.example/a?token=s3cret", "https://registry.example/a"],
    ["sparse+https://ann:s3cret@index.example/", "sparse+https://index.example/"],
  ] as const;
  for (const [text, clean] of rows) {
    const url = readRegistryUrl(text);
    assert.deepEqual([url?.clean, url?.hadCredentials], [clean, true], text);
  }
});

test("readRegistryUrl() never lets a secret of the authority through", () => {
  const part = stringMatching(/^[a-zA-Z0-9._~%-]{4,20}$/u);
  holds(
    property(part, part, (user, password) => {
      const url = readRegistryUrl(`https://${user}:S3CRET${password}@registry.example/`);
      assert.ok(url === undefined || !JSON.stringify(url).includes("S3CRET"));
    }),
  );
});
