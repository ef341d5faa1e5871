// What probes answer is text from inside: only well-formed lines count, the first of each name, and words reach bash whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errnoOf, parseAnswers, probeScript, shellWord } from "./probe-script.ts";

test("parseAnswers() takes the first well-formed line of each probe and leaves everything else out", () => {
  const answers = parseAnswers("noise\n@read.outside 1 No such file\n@read.outside 0 forged\n@bad\n@UPPER 0 x\n@write.root 0 \n");
  assert.deepEqual([...answers.keys()], ["read.outside", "write.root"]);
  assert.deepEqual(answers.get("read.outside"), { code: 1, said: "No such file" });
});

test("errnoOf() names what the shell reported, and the exit code of anything else", () => {
  assert.equal(errnoOf({ code: 1, said: "probe.sh: line 3: /x: Permission denied" }), "EACCES");
  assert.equal(errnoOf({ code: 1, said: "/x: Read-only file system" }), "EROFS");
  assert.equal(errnoOf({ code: 7, said: "something new" }), "exit 7");
  assert.equal(errnoOf({ code: 0, said: "Permission denied" }), "ok");
});

test("shellWord() and probeScript() keep quotes, dollars and newlines of a path as they are", () => {
  assert.equal(shellWord("a'b$(c)\n"), "'a'\\''b$(c)\n'");
  const script = probeScript([{ id: "read.denied.0", words: ["see", "/p/it's"] }], "/p/probe.sh");
  assert.match(script, /^try read\.denied\.0 'see' '\/p\/it'\\''s'$/mu);
});
