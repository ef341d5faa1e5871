// Rules hold for names that a careless program would split, decode, quote or take for an option.
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { hostContent } from "./harness/stages.ts";
import { makeCanary, makeGround } from "./harness/ground.ts";
import { runInside } from "./harness/inside.ts";

const oddNames = [
  "with space",
  "new\nline",
  "tab\there",
  "--option",
  "-",
  "%2e%2e",
  "quote'and\"quote",
  "$(id)",
  "back\\slash",
  "\u202eright-to-left",
  "名字",
  "semi;colon",
  "x".repeat(200),
  "*",
  "trailing ",
];

for (const odd of oddNames) {
  test(`rules hold for a directory and files named ${JSON.stringify(odd.length > 40 ? `${odd.slice(0, 10)}...` : odd)}`, async () => {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    const project = path.join(ground.home, odd);
    const out = path.join(project, "out");
    await mkdir(out, { recursive: true });
    const [denied, deniedInRoot, locked, plain] = [
      path.join(project, odd),
      path.join(out, `${odd}.denied`),
      path.join(out, `${odd}.locked`),
      path.join(out, odd),
    ];
    const [canary, canaryInRoot] = [makeCanary(), makeCanary()];
    await writeFile(denied, canary);
    await writeFile(deniedInRoot, canaryInRoot);
    await writeFile(locked, "locked");
    for (const entry of [project, out]) await chmod(entry, 0o777);
    for (const entry of [denied, deniedInRoot, locked]) await chmod(entry, 0o666);
    const run = await runInside({
      configuration: "both",
      argv: [
        "/bin/sh",
        "-c",
        'cat "$1" "$2"; echo changed > "$3"; echo written > "$4" && echo worked',
        "sh",
        denied,
        deniedInRoot,
        locked,
        plain,
      ],
      terminal: false,
      home: ground.home,
      project,
      privateDirectory: ground.private,
      paths: { readDefault: "system", allowRead: [], denyRead: [denied, deniedInRoot], allowWrite: [out], denyWrite: [locked] },
      timeoutMs: 120_000,
    });
    assert.match(run.output, /worked/u);
    assert.ok(!run.output.includes(canary) && !run.output.includes(canaryInRoot), run.output);
    assert.equal(await hostContent(locked), "locked");
    assert.equal(await hostContent(plain), "written\n");
  });
}
