// `glovebox hook claude-code`: what is answered to each tool, that everything else blocks, and that no input widens anything.
import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { test } from "node:test";
import type { PlaceJudgement, PlaceQuestion } from "../../contracts/place-judgement.ts";
import { callHook, deciding } from "../testing/call-hook.ts";
import { inDirectory } from "../testing/in-directory.ts";
import type { FakeCall, FakeCallOptions } from "../testing/run-fake-cli.ts";

interface Answer {
  readonly hookSpecificOutput: {
    readonly hookEventName: string;
    readonly permissionDecision: string;
    readonly permissionDecisionReason: string;
    readonly updatedInput?: Readonly<Record<string, unknown>>;
  };
}

const hook = (stdin: unknown, options: FakeCallOptions = {}, ...words: readonly string[]): Promise<FakeCall> =>
  callHook(["claude-code", ...words], stdin, options);

const use = (cwd: string, tool: string, input: unknown, more: object = {}): object => {
  return { session_id: "s", transcript_path: "/t", hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, cwd, ...more };
};

const answerOf = (call: FakeCall): Answer["hookSpecificOutput"] => (JSON.parse(call.out()) as Answer).hookSpecificOutput;

test("a command is made to run in a sandbox of the project, and the tool still asks", async () => {
  await inDirectory(async (cwd) => {
    const call = await hook(use(cwd, "Bash", { command: "echo 'a b' && cd /", timeout: 5 }), deciding("allow"));
    assert.equal(call.code, 0);
    const { hookEventName, permissionDecision, updatedInput } = answerOf(call);
    assert.deepEqual([hookEventName, permissionDecision], ["PreToolUse", "ask"]);
    const command = `'/opt/glove box/glovebox' run --quiet --project ${cwd} -- bash -c 'echo '\\''a b'\\'' && cd /'`;
    assert.deepEqual(updatedInput, { command, timeout: 5 });
    const allowed = await hook(use(cwd, "Bash", { command: "true" }), deciding("allow"), "--auto-allow");
    assert.equal(answerOf(allowed).permissionDecision, "allow");
  });
});

test("a command that begins with a step inside the project takes the tool's shell along; any other step is the command's own", async () => {
  await inDirectory(async (cwd) => {
    for (const name of [".git", "sub", "sub/deep", "other/.git", "a'b"]) await mkdir(`${cwd}/${name}`, { recursive: true });
    await symlink("/", `${cwd}/out`);
    await symlink("sub", `${cwd}/link`);
    const run = (script: string): string => `'/opt/glove box/glovebox' run --quiet --project ${cwd} -- bash -c ${script}`;
    const rows: readonly (readonly [command: string, expected: string])[] = [
      ["cd sub && npm test", `builtin cd -P -- ${cwd}/sub && ${run("'npm test'")}`],
      [`cd ${cwd}/link/deep; ls`, `builtin cd -P -- ${cwd}/sub/deep && ${run("ls")}`],
      ["cd sub", `builtin cd -P -- ${cwd}/sub && ${run(":")}`],
      ...["cd gone && ls", "cd out && ls", "cd / && ls", "cd .. && ls", "cd other && ls", "cd sub & ls"].map(
        (script) => [script, run(`'${script}'`)] as const,
      ),
      [`cd "a'b" && ls`, run(`'cd "a'\\''b" && ls'`)],
    ];
    for (const [command, expected] of rows) {
      const made = answerOf(await hook(use(cwd, "Bash", { command }), deciding("allow"))).updatedInput?.["command"];
      assert.equal(made, expected);
      // What was made stays as it is.
      assert.equal(answerOf(await hook(use(cwd, "Bash", { command: made }), deciding("allow"))).updatedInput?.["command"], expected);
    }
    // Written by the agent itself, a step out of the project is a command like any other.
    const own = `builtin cd -P -- / && ${run("ls")}`;
    const made = answerOf(await hook(use(cwd, "Bash", { command: own }), deciding("allow"))).updatedInput?.["command"];
    assert.equal(made, run(`'${own.replaceAll("'", "'\\''")}'`));
  });
});

test("a command that the policy denies or would ask about is denied, whatever the input and the hook's options claim", async () => {
  await inDirectory(async (cwd) => {
    const claims = { permission_mode: "bypassPermissions", permissionDecision: "allow", approved: true };
    for (const verdict of ["deny", "ask"] as const) {
      const env = { CLAUDE_CODE_SANDBOXED: "1", GLOVEBOX_ALLOW: "1" };
      const call = await hook(use(cwd, "Bash", { command: "git push", ...claims }, claims), { ...deciding(verdict), env }, "--auto-allow");
      assert.equal(answerOf(call).permissionDecision, "deny");
      assert.equal(answerOf(call).updatedInput, undefined);
    }
  });
});

test("a file that the tool touches itself is judged by the path rules; what is open is left to the tool", async () => {
  await inDirectory(async (cwd) => {
    const rows: readonly (readonly [string, object, PlaceQuestion])[] = [
      ["Read", { file_path: "/a" }, { access: "read", place: "/a" }],
      ["Grep", { pattern: "x" }, { access: "read", place: cwd }],
      ["Write", { file_path: "sub/../b", content: "x" }, { access: "write", place: `${cwd}/b` }],
      ["NotebookEdit", { notebook_path: "/n" }, { access: "write", place: "/n" }],
    ];
    for (const [tool, input, question] of rows) {
      for (const [judgement, decision] of [
        ["open", undefined],
        ["denied", "deny"],
        ["unnamed", "ask"],
      ] as const) {
        const asked: PlaceQuestion[] = [];
        const judgePlace = async (_policy: unknown, given: PlaceQuestion): Promise<PlaceJudgement> => (asked.push(given), judgement);
        const call = await hook(use(cwd, tool, input), { door: { judgePlace } });
        assert.deepEqual(asked, [question]);
        assert.equal(call.out() === "" ? undefined : answerOf(call).permissionDecision, decision, `${tool} ${judgement}`);
      }
    }
  });
});

test("a command of another tool runs inside too, one of a server's tool where the server is", async () => {
  await inDirectory(async (cwd) => {
    for (const tool of ["Monitor", "SomethingNew"]) {
      const call = await hook(use(cwd, tool, { command: "tail -f x", timeout_ms: 5 }), deciding("allow"));
      const { updatedInput } = answerOf(call);
      assert.deepEqual(updatedInput, {
        command: `'/opt/glove box/glovebox' run --quiet --project ${cwd} -- bash -c 'tail -f x'`,
        timeout_ms: 5,
      });
      assert.equal((await hook(use(cwd, tool, { command: ["tail"] }), deciding("allow"))).code, 2);
    }
    const call = await hook(use(cwd, "Monitor", { ws: { url: "wss://example.org" } }));
    assert.deepEqual([call.code, call.out()], [0, ""]);
  });
});

test("a tool that touches neither commands nor files is left alone", async () => {
  await inDirectory(async (cwd) => {
    const call = await hook(use(cwd, "mcp__server__tool", { command: "rm" }));
    assert.deepEqual([call.code, call.out()], [0, ""]);
  });
});

test("everything that is no such input blocks with a reason", async () => {
  await inDirectory(async (cwd) => {
    const rows: readonly unknown[] = [
      "",
      "{",
      "[]",
      Buffer.from([0xff, 0xfe]),
      use(cwd, "Bash", {}),
      use(cwd, "Bash", { command: ["ls"] }),
      use(cwd, "Bash", { command: "a\0b" }),
      use(cwd, "Read", { file_path: 7 }),
      use(cwd, "Bash", { command: "ls" }, { hook_event_name: "PostToolUse" }),
      use("relative", "Bash", { command: "ls" }),
      use(`${cwd}/gone`, "Bash", { command: "ls" }),
      use("/", "Bash", { command: "ls" }),
      "x".repeat(17 * 2 ** 20),
    ];
    for (const row of rows) {
      const call = await hook(row, deciding("allow"), "--auto-allow");
      assert.equal(call.code, 2, JSON.stringify(row).slice(0, 80));
      assert.equal(call.out(), "");
      assert.match(call.err(), /glovebox: /u);
    }
  });
});

test("a broken house blocks too", async () => {
  await inDirectory(async (cwd) => {
    const door = { policy: () => Promise.reject(new TypeError("boom")), judgePlace: () => Promise.reject(new TypeError("boom")) };
    assert.equal((await hook(use(cwd, "Bash", { command: "ls" }), { door })).code, 2);
    assert.equal((await hook(use(cwd, "Read", { file_path: "/a" }), { door })).code, 2);
  });
});
