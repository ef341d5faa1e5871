// Why a file operation failed, from what the program said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemReason } from "./system-reason.ts";

test("systemReason() knows the sentence at the end of the first line, and nothing that a name may hold", () => {
  assert.equal(systemReason("dd: failed to open './a: Is a directory': No such file or directory\nmore: Permission denied\n"), "ENOENT");
  assert.equal(systemReason("mkdir: cannot create directory 'x': Permission denied"), "EACCES");
  for (const unknown of ["", "dd: something: else", "Permission denied!"]) assert.equal(systemReason(unknown), "EIO", unknown);
});
