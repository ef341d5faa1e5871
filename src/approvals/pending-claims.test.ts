// The count of open questions: exact while askers live; the dead count no more, and are found.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { actionIdSchema, approvalIdSchema, taskIdSchema } from "../contracts/ids.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { abandonedClaims, claimPending } from "./pending-claims.ts";

const id = (number: number) => approvalIdSchema.parse(`q-000000000001-${number.toString(16).padStart(12, "0")}`);

const about = {
  task: taskIdSchema.parse("t-000000000001-000000000001"),
  action: actionIdSchema.parse("a-000000000001-000000000001"),
};

test("claimPending() lets in as many as the limit says, gives places back, and forgets the dead", async (t) => {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-pending-"));
  t.after(() => rm(base, { recursive: true }));
  const directory = path.join(base, "approvals");
  const owner = { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? "" };
  assert.equal(await claimPending(directory, id(1), { maximum: 0, owner, about }), undefined);
  const first = await claimPending(directory, id(2), { maximum: 2, owner, about });
  assert.ok(first !== undefined && (await claimPending(directory, id(3), { maximum: 2, owner, about })) !== undefined);
  assert.equal(await claimPending(directory, id(4), { maximum: 2, owner, about }), undefined);
  await first.release();
  assert.ok((await claimPending(directory, id(5), { maximum: 2, owner, about })) !== undefined);
  // A process of another start time: the one that asked is gone. It counts no more, and stays until somebody has recorded its end.
  await rename(path.join(directory, `${id(5)}.${owner.pid}.${owner.startTime}`), path.join(directory, `${id(5)}.${process.pid}.1`));
  await writeFile(path.join(directory, `${id(6)}.${process.pid}.1`), "");
  assert.ok((await claimPending(directory, id(7), { maximum: 2, owner, about })) !== undefined);
  const abandoned = (await abandonedClaims(directory)).toSorted((one, other) => (one.approval < other.approval ? -1 : 1));
  assert.deepEqual(
    abandoned.map(({ approval, about: whose }) => [approval, whose]),
    [
      [id(5), about],
      [id(6), undefined],
    ],
  );
  for (const { forget } of abandoned) await forget();
  assert.deepEqual(await abandonedClaims(directory), []);
  assert.equal((await readdir(directory)).length, 2);
  assert.deepEqual(await abandonedClaims(path.join(base, "nothing")), []);
});
