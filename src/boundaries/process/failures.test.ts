// What a launch that failed says: each cause by its own name, and only that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { launchError } from "./failures.ts";

const situation = (stderr: string, startError?: string): string | undefined =>
  launchError({ sandboxId: "s-1", bubblewrapPath: "/usr/bin/bwrap", guardPath: "/g", stderr, startError })?.situation;

const rows: readonly (readonly [string, string])[] = [
  ["bwrap: Creating new namespace failed: Resource temporarily unavailable", "wall.process-limit"],
  ["bwrap: Can't fork for pid 1: Resource temporarily unavailable", "wall.process-limit"],
  ["bwrap: Can't fork unprivileged helper: Resource temporarily unavailable", "wall.process-limit"],
  ["launcher: idmap /home/ann/app EAGAIN", "wall.process-limit"],
  ["launcher: exec /usr/bin/bwrap EAGAIN", "wall.process-limit"],
  ["launcher: idmap /home/ann/app ENOSPC", "wall.user-namespaces"],
  ["launcher: uid 1879048193 EEXIST", "wall.uid-taken"],
  ["bwrap: No permissions to create new namespace, likely because the kernel does not allow it", "wall.user-namespaces"],
  ["bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)", "wall.user-namespaces"],
  ["bwrap: Can't find source path /x: No such file or directory", "wall.open-failed"],
];

for (const [stderr, expected] of rows) {
  test(`launchError() finds ${expected} in "${stderr}"`, () => {
    assert.equal(situation(`${stderr}\n`), expected);
  });
}

test("launchError() tells a start that was refused from silence", () => {
  assert.equal(situation("", "EAGAIN"), "wall.process-limit");
  assert.equal(situation(""), undefined);
});
