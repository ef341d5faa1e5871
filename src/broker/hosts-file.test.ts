// The machine's hosts file, as people write it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHosts } from "./hosts-file.ts";

test("parseHosts() gives each name its addresses, and leaves out what is none", () => {
  const text = `# a comment
127.0.0.1\tlocalhost
::1 localhost ip6-localhost # here
93.184.216.34  API.example.com api
10.0.0.1 api.example.com.
fe80::1%lo0 zone.example
not an address
1.2.3.4
5.6.7.8 a..b bad_name.example
`;
  assert.deepEqual(parseHosts(text), {
    localhost: ["127.0.0.1", "::1"],
    "ip6-localhost": ["::1"],
    "api.example.com": ["93.184.216.34", "10.0.0.1"],
    api: ["93.184.216.34"],
    "bad_name.example": ["5.6.7.8"],
  });
  assert.deepEqual(parseHosts(""), {});
});
