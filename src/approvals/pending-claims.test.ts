// The count of open questions: exact while askers live, and the dead count no more.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { approvalIdSchema } from "../contracts/ids.ts";
import { processStartTime } from "../kit/process-identity.ts";
import { claimPending } from "./pending-claims.ts";

const id = (number: number) => approvalIdSchema.parse(`q-000000000001-${number.toString(16).padStart(12, "0")}`);

test("claimPending() lets in as many as the limit says, gives places back, and forgets the dead", async (t) => {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-pending-"));
  t.after(() => rm(base, { recursive: true }));
  const directory = path.join(base, "approvals");
  const owner = { pid: process.pid, startTime: (await processStartTime(process.pid)) ?? "" };
  assert.equal(await claimPending(directory, id(1), { maximum: 0, owner }), undefined);
  const first = await claimPending(directory, id(2), { maximum: 2, owner });
  assert.ok(first !== undefined && (await claimPending(directory, id(3), { maximum: 2, owner })) !== undefined);
  assert.equal(await claimPending(directory, id(4), { maximum: 2, owner }), undefined);
  await first.release();
  assert.ok((await claimPending(directory, id(5), { maximum: 2, owner })) !== undefined);
  // A process of another start time: the one that asked is gone.
  await writeFile(path.join(directory, `${id(6)}.${process.pid}.1`), "");
  assert.equal(await claimPending(directory, id(7), { maximum: 2, owner }), undefined);
  assert.equal((await readdir(directory)).length, 2);
});
