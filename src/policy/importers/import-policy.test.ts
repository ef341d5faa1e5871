// importPolicy(): what every importer owes, whatever the format.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { PolicyError } from "../../contracts/policy-error.ts";
import { checkPolicy } from "../policy.ts";
import { facts, imported, refusals, srtText } from "../testing/imports.ts";

test("importPolicy() names the line and the nearest key of a key that the settings do not have", () => {
  const text = `{\n  "network": {"allowedDomains": [], "deniedDomains": []},\n  "filesystem": {"denyRaed": [], "allowWrite": [], "denyWrite": []}\n}`;
  assert.deepEqual(refusals("srt", text), [
    "POLICY_VALUE_INVALID import.key-missing 3 filesystem.denyRead",
    "POLICY_KEY_UNKNOWN import.key-unknown-near 3 filesystem.denyRaed",
  ]);
});

test("importPolicy() refuses what is not the format, with the line", () => {
  assert.deepEqual(refusals("srt", "{\n  nothing"), ["POLICY_SYNTAX import.unreadable 2 "]);
  assert.deepEqual(refusals("srt", "[]"), ["POLICY_SYNTAX import.value-invalid 1 "]);
  assert.deepEqual(refusals("srt", '{"network": 1, "network": 2}'), ["POLICY_SYNTAX policy.duplicate-key 1 network"]);
});

test("importPolicy() of any settings gives a policy that passes its own check, or findings", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "/",
      "~",
      ".",
      "..",
      "/tmp",
      "~/.ssh",
      "a/**",
      "**/*.pem",
      "{a}",
      "$HOME",
      "a\\b",
      "*",
      "[",
      "/run",
      "/etc",
      "*.com",
      "*:22",
    ),
    fc.constantFrom(
      "example.com",
      "*.example.com:443",
      "127.0.0.1:80",
      "localhost",
      "[::1]:9",
      "10.0.0.0/8",
      "169.254.169.254:80",
      "a.internal",
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  const fine = fc.constantFrom("~/.ssh", "a/**", "**/*.pem", "{a}", "/tmp", "a\\b", "/etc", "example.com", "*:22", "::1");
  const allows = fc.array(word, { maxLength: 4 });
  // What forbids and cannot be held refuses the whole: mostly it can.
  const denies = fc.oneof({ weight: 4, arbitrary: fc.array(fine, { maxLength: 3 }) }, { weight: 1, arbitrary: allows });
  const address = fc.constantFrom("10.0.0.0/8", "fc00::1", "10.0.0.1/8", "x");
  const settings = fc.record({
    network: fc.record({ allowedDomains: allows, deniedDomains: denies, deniedResolvedAddresses: fc.array(address, { maxLength: 1 }) }),
    filesystem: fc.record({ allowRead: allows, denyRead: denies, allowWrite: allows, denyWrite: denies }),
  });
  let built = 0;
  fc.assert(
    fc.property(settings, (value) => {
      try {
        const { document } = imported("srt", srtText(value));
        const source = { origin: "user", label: "p.json", format: "json", text: JSON.stringify(document) } as const;
        assert.deepEqual(checkPolicy(source, facts), []);
        built += 1;
      } catch (error) {
        assert.ok(error instanceof PolicyError, String(error));
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(built > 10, `only ${built} of them became a policy`);
});
