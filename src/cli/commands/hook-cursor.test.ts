// `glovebox hook cursor`: what is answered to each event, that everything else blocks, and that no input widens anything.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { test } from "node:test";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import { callHook, deciding, judging } from "../testing/call-hook.ts";
import { inDirectory } from "../testing/in-directory.ts";
import type { FakeCall, FakeCallOptions } from "../testing/run-fake-cli.ts";

interface Answer {
  readonly permission?: string;
  readonly user_message?: string;
  readonly agent_message?: string;
  readonly updated_input?: Readonly<Record<string, unknown>>;
}

const hook = (stdin: unknown, options: FakeCallOptions = {}, ...words: readonly string[]): Promise<FakeCall> =>
  callHook(["cursor", ...words], stdin, options);

const event = (root: string, name: string, more: object): object => {
  const common = { conversation_id: "c", generation_id: "g", model: "m", cursor_version: "3.11.25", user_email: null };
  return { ...common, hook_event_name: name, workspace_roots: [root], ...more };
};

const tool = (root: string, name: string, input: object, more: object = {}): object =>
  event(root, "preToolUse", { tool_name: name, tool_input: input, tool_use_id: "u", ...more });

const shell = (root: string, command: unknown, more: object = {}): object =>
  event(root, "beforeShellExecution", { command, cwd: "", ...more });

const answerOf = (call: FakeCall): Answer => JSON.parse(call.out()) as Answer;

const inside = (root: string, script: string): string => `'/opt/glove box/glovebox' run --quiet --project ${root} -- bash -c '${script}'`;

test("preToolUse makes a command run in a sandbox of the open folder, also where the model names another directory", async () => {
  await inDirectory(async (root) => {
    await mkdir(`${root}/open`);
    const project = `${root}/open`;
    for (const directory of [undefined, "", project, `${project}/sub`, `${root}/elsewhere`, "sub"]) {
      const call = await hook(tool(project, "Shell", { command: "a b", working_directory: directory, timeout: 5 }), deciding("allow"));
      assert.equal(call.code, 0, call.err());
      const updated = { command: inside(project, "a b"), ...(directory === undefined ? {} : { working_directory: directory }), timeout: 5 };
      assert.deepEqual(answerOf(call), { permission: "allow", updated_input: updated });
    }
    // A byte order mark stands before what Cursor sends on some systems.
    const marked = `\uFEFF${JSON.stringify(tool(project, "Shell", { command: "a b" }))}`;
    assert.equal(answerOf(await hook(marked, deciding("allow"))).permission, "allow");
  });
});

test("beforeShellExecution denies a command outside the sandbox and tells the agent the one inside; that one is asked", async () => {
  await inDirectory(async (root) => {
    const outside = answerOf(await hook(shell(root, "a b"), deciding("allow"), "--auto-allow"));
    assert.equal(outside.permission, "deny");
    const told = outside.agent_message?.split("\n").at(-1) ?? "";
    assert.equal(told, inside(root, "a b"));
    assert.equal(answerOf(await hook(shell(root, told), deciding("allow"))).permission, "ask");
    assert.equal(answerOf(await hook(shell(root, told), deciding("allow"), "--auto-allow")).permission, "allow");
    // Not twice, once it is inside.
    assert.deepEqual(answerOf(await hook(tool(root, "Shell", { command: told }), deciding("allow"))).updated_input, { command: told });
    for (const more of [
      `${told}; id`,
      `${told} && true`,
      `GLOVEBOX=1 ${told}`,
      told.replace(root, "/etc"),
      told.replace("--quiet", "--unsandboxed"),
    ]) {
      assert.equal(answerOf(await hook(shell(root, more), deciding("allow"), "--auto-allow")).permission, "deny", more);
    }
  });
});

test("a command that the policy denies or would ask about is denied, whatever the input and the hook's options claim", async () => {
  await inDirectory(async (root) => {
    const claims = { permission: "allow", sandbox: true, approved: true };
    for (const verdict of ["deny", "ask"] as const) {
      for (const given of [
        shell(root, "git push", claims),
        shell(root, inside(root, "git push"), claims),
        tool(root, "Shell", { command: "git push" }, claims),
      ]) {
        const call = await hook(given, { ...deciding(verdict), env: { CURSOR_SANDBOX: "1", GLOVEBOX_ALLOW: "1" } }, "--auto-allow");
        const { permission, updated_input: updated } = answerOf(call);
        assert.deepEqual([permission, updated], ["deny", undefined]);
      }
    }
  });
});

test("files are judged by the path rules; what is open is left to Cursor, what no rule opens is denied", async () => {
  await inDirectory(async (root) => {
    const rows: readonly (readonly [object, PlaceQuestion, Answer])[] = [
      [
        event(root, "beforeReadFile", { file_path: "/a", content: "x", attachments: [] }),
        { access: "read", place: "/a" },
        { permission: "allow" },
      ],
      [tool(root, "Write", { file_path: `${root}/x/../b` }), { access: "write", place: `${root}/b` }, {}],
      [tool(root, "Delete", { path: "c" }), { access: "write", place: `${root}/c` }, {}],
      [tool(root, "Read", { file_path: "/a" }), { access: "read", place: "/a" }, {}],
      [tool(root, "Grep", { pattern: "x" }), { access: "read", place: root }, {}],
    ];
    for (const [given, question, open] of rows) {
      const asked: PlaceQuestion[] = [];
      assert.deepEqual(answerOf(await hook(given, judging("open", asked))), open);
      assert.deepEqual(asked, [question]);
      for (const judgement of ["denied", "unnamed"] as const) {
        const { permission, agent_message: message } = answerOf(await hook(given, judging(judgement)));
        assert.equal(permission, "deny");
        assert.match(message ?? "", /Glovebox: /u);
      }
    }
    assert.deepEqual(answerOf(await hook(tool(root, "MCP:search", { command: "rm" }))), {});
  });
});

test("everything that is no such input blocks with a reason", async () => {
  await inDirectory(async (root) => {
    const rows: readonly unknown[] = [
      "",
      "{",
      "[]",
      Buffer.from([0xff, 0xfe]),
      shell(root, ["ls"]),
      shell(root, ""),
      shell(root, "a\0b"),
      shell("relative", "ls"),
      shell("/", "ls"),
      event(root, "stop", { command: "ls" }),
      event(root, "beforeReadFile", { content: "x" }),
      tool(root, "Shell", {}),
      tool(root, "Write", { contents: "x" }),
      tool(root, "Read", {}),
      { hook_event_name: "beforeShellExecution", command: "ls", cwd: "" },
      "x".repeat(17 * 2 ** 20),
    ];
    for (const row of rows) {
      const call = await hook(row, deciding("allow"), "--auto-allow");
      assert.deepEqual([call.code, call.out()], [2, ""], JSON.stringify(row).slice(0, 80));
      assert.match(call.err(), /glovebox: /u);
    }
  });
});
