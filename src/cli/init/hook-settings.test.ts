// Our hook in the text of an agent's settings: put in once, brought up to date in its place, and nothing else changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { initAgents } from "./init-agents.ts";

const command = "/opt/glovebox hook AGENT || exit 2";
const edit = (name: string, text: string, given = command.replace("AGENT", name)): string => {
  const agent = initAgents.find((candidate) => candidate.name === name);
  assert.ok(agent !== undefined);
  return agent.edit(text, given);
};

test("the hook is put behind what is there, and a second time changes nothing", () => {
  const settings =
    '{\n  // mine\n  "hooks": {\n    "PreToolUse": [{"matcher": "X", "hooks": [{"type": "command", "command": "mine"}]}],\n    "Stop": []\n  },\n  "model": "m" // keep\n}\n';
  for (const { name } of initAgents) {
    const once = edit(name, settings);
    assert.equal(edit(name, once), once);
    const added = once.split("\n");
    const kept = settings.split("\n").filter((line) => !added.includes(line));
    // Only the lines behind which something was put have another end.
    assert.ok(
      kept.every((line) => added.some((now) => now.startsWith(line.slice(0, 8)))),
      once,
    );
    for (const part of ["// mine", "// keep", '"command": "mine"', '"Stop": []']) assert.ok(once.includes(part), `${name} ${part}`);
  }
});

test("a hook of ours by another path is brought up to date where it stands", () => {
  for (const { name } of initAgents) {
    const old = edit(name, "{}\n", `/old/glovebox hook ${name} || exit 2`);
    assert.equal(edit(name, old), edit(name, "{}\n"));
  }
});

test("Cursor's settings get their version and three events, each of which blocks where the hook fails", () => {
  const { version, hooks } = JSON.parse(edit("cursor", "{}\n")) as { version: number; hooks: Record<string, { failClosed: boolean }[]> };
  assert.equal(version, 1);
  assert.deepEqual(Object.keys(hooks), ["preToolUse", "beforeShellExecution", "beforeReadFile"]);
  assert.ok(Object.values(hooks).every((list) => list.length === 1 && list[0]?.failClosed === true));
});
