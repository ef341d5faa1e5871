// A process that ends in the middle of compiling ends. Without the options about one in twelve of these never does.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { surelyEnding } from "../../src/kit/node-options.ts";
import { capture } from "../../src/kit/spawn.ts";

const base = await mkdtemp(path.join(os.tmpdir(), "glovebox-ending-"));
after(() => rm(base, { recursive: true }));
const program = path.join(base, "compiles.cjs");
await writeFile(
  program,
  `const kept = [];
const end = performance.now() + 20 + Math.random() * 250;
const lines = (seed) => Array.from({ length: 60 }, (_, k) =>
  \`s = s * \${k + 3} % \${seed + 17}; if (s > \${k}) { o.x\${k % 7} = s; q.push({ v: s, w: String(s) }); }\`);
for (let seed = 0; performance.now() < end; seed += 1) {
  const hot = new Function("o", "q", \`let s = \${seed}; \${lines(seed).join("\\n")} return s;\`);
  for (let k = 0; k < 600; k += 1) { const q = []; hot({}, q); if (k % 8 === 0) kept.push(q); }
}
process.exit(0);
`,
);

test("300 processes that compile until they end do end", async () => {
  for (let round = 0; round < 300; round += 1) {
    const { code } = await capture(process.execPath, ["--optimize-for-size", ...surelyEnding, program], { timeoutMs: 20_000 });
    assert.equal(code, 0, `round ${round}`);
  }
});
