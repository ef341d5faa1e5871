// Who a sandbox is: the uid that root allocates, and the account files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allocatedUid, allocatedUidBase, allocatedUidCount, isUidPromised } from "../../linux/linux.ts";
import { accountFiles, identityFor } from "./identity.ts";

test("allocatedUid() stays in its range for the lowest and the highest id", () => {
  assert.equal(allocatedUid("s-000000000000-000000000000"), allocatedUidBase);
  assert.equal(allocatedUid("s-ffffffffffff-ffffffffffff"), allocatedUidBase + allocatedUidCount - 1);
});

test("identityFor() keeps an ordinary user's numbers and never gives root its own", () => {
  const id = "s-000000000000-000000000001";
  assert.deepEqual(identityFor({ uid: 1000, gid: 100, name: "ann" }, id), {
    hostUid: 1000,
    hostGid: 100,
    insideUid: 1000,
    insideGid: 100,
    name: "ann",
  });
  assert.equal(identityFor({ uid: 0, gid: 0, name: "root" }, id).hostUid, allocatedUidBase + 1);
  assert.equal(identityFor({ uid: 0, gid: 0, name: "root" }, id).insideUid, 1000);
});

test("isUidPromised() sees accounts and subordinate ranges, to their edges", () => {
  const files = { passwd: "x:x:77:77::/:/bin/sh\n", subordinate: ["ann:100000:65536\n", "# a comment\nbob:300000:10\n"] };
  for (const uid of [77, 100_000, 165_535, 300_009]) assert.equal(isUidPromised(uid, files), true, String(uid));
  for (const uid of [78, 99_999, 165_536, 300_010]) assert.equal(isUidPromised(uid, files), false, String(uid));
});

test("accountFiles() keeps system accounts, drops people and members, and cannot be broken by a name", () => {
  const host = { passwd: "root:x:0:0:root:/root:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\nbroken line\n", group: "adm:x:4:bob,ann\n" };
  const { passwd, group } = accountFiles({ hostUid: 5000, hostGid: 5000, insideUid: 5000, insideGid: 5000, name: "a:b\nroot" }, host);
  assert.equal(passwd, "root:x:0:0:root:/root:/bin/sh\nsandbox:x:5000:5000:sandbox:/run/sandbox/home:/bin/sh\n");
  assert.equal(group, "adm:x:4:\nsandbox:x:5000:\n");
});
