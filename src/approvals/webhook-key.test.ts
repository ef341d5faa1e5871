// The key file: only one of the user alone, of a length that cannot be guessed, and no place that waits.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readWebhookKey } from "./webhook-key.ts";

test("readWebhookKey() reads a file of this user alone, and names what is wrong with any other", async (t) => {
  const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-key-"));
  t.after(() => rm(base, { recursive: true }));
  const uid = process.getuid?.() ?? -1;
  const file = path.join(base, "key");
  await writeFile(file, `${"ab".repeat(32)}\n`, { mode: 0o600 });
  assert.equal(Buffer.from(await readWebhookKey(file, uid, "q-1")).toString(), "ab".repeat(32));
  const reasonOf = async (place: string, owner = uid): Promise<string> =>
    readWebhookKey(place, owner, "q-1").then(
      () => "read",
      (error: unknown) => (error instanceof Error && "values" in error ? JSON.stringify(error.values) : String(error)),
    );
  await symlink(file, path.join(base, "link"));
  await writeFile(path.join(base, "short"), "x".repeat(31), { mode: 0o600 });
  await writeFile(path.join(base, "long"), "x".repeat(1025), { mode: 0o600 });
  assert.match(await reasonOf(path.join(base, "link")), /"reason":"ELOOP"/u);
  assert.match(await reasonOf(path.join(base, "short")), /"reason":"too-short"/u);
  assert.match(await reasonOf(path.join(base, "long")), /"reason":"too-long"/u);
  assert.match(await reasonOf(path.join(base, "nothing")), /"reason":"ENOENT"/u);
  assert.match(await reasonOf(base), /"reason":"no-file"/u);
  assert.match(await reasonOf(file, uid + 1), /"reason":"open-mode"/u);
  for (const mode of [0o640, 0o604, 0o620]) {
    await chmod(file, mode);
    assert.match(await reasonOf(file), /"reason":"open-mode"/u, mode.toString(8));
  }
});
