// The words that the captive network's program is started with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { captiveArguments } from "./captive-arguments.ts";

test("captiveArguments() names the channel, whom root's becomes, and the form of a kernel without pairs", () => {
  const words = (more: { readonly watcherUid?: number; readonly isOneNetwork?: boolean }) =>
    captiveArguments({ path: "/opt/captive", channel: 4, isOneNetwork: false, ...more }).join(" ");
  assert.equal(words({}), "/opt/captive --channel 4 --");
  assert.equal(words({ watcherUid: 70_000, isOneNetwork: true }), "/opt/captive --channel 4 --become 70000 --one-network --");
});
