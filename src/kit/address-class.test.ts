// What kind of place each address is: the rows of the special-purpose registries, their edges, and the forms that hide another address.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type AddressClass, classifyAddress } from "./address-class.ts";
import { canonicalHost } from "./host-name.ts";
import { parseIpAddress } from "./ip-address.ts";

function classOf(text: string): AddressClass {
  const host = canonicalHost(text);
  assert.ok(host?.kind === "address", text);
  return classifyAddress(host.address);
}

const rows: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "3ffe::1",
  ],
  unspecified: ["0.0.0.0", "0.1.2.3", "0x", "::"],
  loopback: ["127.0.0.1", "127.255.255.255", "127.1", "0x7f.1", "::1", "::ffff:127.0.0.1"],
  private: [
    "10.0.0.0",
    "10.96.0.1",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.1",
    "fc00::1",
    "fd12::1",
    "fec0::1",
    "feff::1",
  ],
  "link-local": ["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"],
  metadata: [
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:a9fe:a9fe",
  ],
  shared: ["100.64.0.0", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  benchmarking: ["198.18.0.0", "198.19.255.255", "2001:2::1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  reserved: ["192.0.0.1", "192.88.99.1", "240.0.0.1", "255.255.255.255", "100::1", "2001:10::1", "4000::1", "5f00::1", "1::1", "e000::1"],
  embedded: [
    "::127.0.0.1",
    "::8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "::ffff:0:7f00:1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:808:808",
  ],
};

for (const [kind, addresses] of Object.entries(rows)) {
  test(`classifyAddress() calls ${addresses.length} addresses ${kind}`, () => {
    for (const text of addresses) assert.equal(classOf(text), kind, text);
  });
}

test("classifyAddress() calls no address public that carries one that is not", () => {
  const inner = fc.constantFrom(0x7f000001n, 0x0a000001n, 0xa9fea9fen, 0xc0a80001n, 0x01010101n);
  const prefix = fc.constantFrom("::", "64:ff9b::", "::ffff:0:0:0", "2002::", "2001::");
  fc.assert(
    fc.property(inner, prefix, fc.bigInt({ min: 0n, max: 0xffffn }), (value, text, noise) => {
      const base = parseIpAddress(text)?.value ?? 0n;
      const shift = text === "2002::" ? 80n : 0n;
      assert.notEqual(classifyAddress({ family: 6, value: base | (value << shift) | (shift === 0n ? 0n : noise) }), "public");
    }),
  );
});
