// Addresses and ranges as numbers: every spelling in, one spelling out.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isInRange, ipRange, parseIpAddress, parseIpRange, showIpAddress, showIpRange } from "./ip-address.ts";

const shown = (text: string): string | undefined => {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : showIpAddress(address);
};

test("showIpAddress() gives each address of parseIpAddress() its one spelling", () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["1.2.3.4", "1.2.3.4"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["::", "::"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["1::", "1::"],
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["::ffff:0:7f00:1", "::ffff:0:7f00:1"],
    ["fe80::1%eth0", undefined],
    ["127.1", undefined],
    ["1.2.3", undefined],
    ["01.2.3.4", undefined],
    ["[::1]", undefined],
    ["", undefined],
  ];
  for (const [text, expected] of rows) assert.equal(shown(text), expected, text);
});

test("parseIpAddress() reads back what showIpAddress() wrote", () => {
  const address = fc.oneof(
    fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }).map((value) => ({ family: 4 as const, value })),
    fc
      .array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn })), { minLength: 8, maxLength: 8 })
      .map((groups) => ({ family: 6 as const, value: groups.reduce((sum, group) => (sum << 16n) | group, 0n) }))
      .filter(({ value }) => value >> 32n !== 0xffffn),
  );
  fc.assert(fc.property(address, (given) => assert.deepEqual(parseIpAddress(showIpAddress(given)), given)));
});

test("parseIpRange() refuses what leaves open which addresses are meant", () => {
  for (const text of [
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "::/129",
    "::ffff:10.0.0.0/104",
    "10.0/16",
    "a/8",
  ])
    assert.equal(parseIpRange(text), undefined, text);
  assert.equal(showIpRange(ipRange("2001:db8:0::/32")), "2001:db8::/32");
  assert.equal(showIpRange(ipRange("9.9.9.9")), "9.9.9.9/32");
});

test("isInRange() compares within one family, to the bit", () => {
  const inside = (address: string, range: string): boolean => {
    const parsed = parseIpAddress(address);
    return parsed !== undefined && isInRange(parsed, ipRange(range));
  };
  assert.ok(inside("10.255.255.255", "10.0.0.0/8"));
  assert.ok(!inside("11.0.0.0", "10.0.0.0/8"));
  assert.ok(inside("1.2.3.4", "0.0.0.0/0"));
  assert.ok(!inside("::1", "0.0.0.0/0"));
  assert.ok(inside("2001:db8:ffff::1", "2001:db8::/32"));
  assert.ok(!inside("2001:db9::", "2001:db8::/32"));
});
