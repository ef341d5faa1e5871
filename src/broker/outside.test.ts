// What a pin accepts: root's own program, or exactly the content that was named.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import type { BoundFile } from "../contracts/approval.ts";
import { digestSchema } from "../contracts/ids.ts";
import type { OutsideEntry } from "../contracts/policy-document.ts";
import { sha256Digest } from "../kit/digest.ts";
import { checkPin } from "./outside.ts";

const entry = (pin: string): OutsideEntry => ({
  id: "e",
  program: "/x",
  pin: pin === "root" ? "root" : digestSchema.parse(pin),
  arguments: [],
});

async function programAt(file: string): Promise<readonly BoundFile[]> {
  return [{ role: "program", path: await realpath(file), digest: digestSchema.parse(sha256Digest(await readFile(file))) }];
}

test("checkPin() takes root's own program, and a program of the pinned content", async () => {
  const files = await programAt("/bin/sh");
  await checkPin(entry("root"), files);
  await checkPin(entry(files[0]?.digest ?? ""), files);
});

test("checkPin() refuses another content, a missing program, and for `root` whatever others can write or put in its place", async (t) => {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-pin-")));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, "tool");
  await writeFile(file, "tool", { mode: 0o755 });
  const refused = { code: "POLICY_DENIED" };
  // Below the directory for temporary files, which everybody may write.
  await assert.rejects(checkPin(entry("root"), await programAt(file)), refused);
  await chmod(file, 0o777);
  await assert.rejects(checkPin(entry("root"), await programAt(file)), refused);
  await assert.rejects(checkPin(entry(sha256Digest("other")), await programAt(file)), refused);
  await assert.rejects(checkPin(entry("root"), []), refused);
});
