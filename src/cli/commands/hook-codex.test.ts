// `glovebox hook codex`: what is answered to a command and to a patch, that everything else blocks, and that no input widens anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlaceQuestion } from "../../contracts/place-judgement.ts";
import { callHook, deciding, judging } from "../testing/call-hook.ts";
import { inDirectory } from "../testing/in-directory.ts";
import type { FakeCall, FakeCallOptions } from "../testing/run-fake-cli.ts";

interface Answer {
  readonly hookSpecificOutput: Readonly<Record<string, unknown>>;
}

const hook = (stdin: unknown, options: FakeCallOptions = {}): Promise<FakeCall> => callHook(["codex"], stdin, options);

const use = (cwd: string, tool: string, command: unknown, more: object = {}): object => {
  const common = { session_id: "s", turn_id: "t", transcript_path: null, model: "m", permission_mode: "default", tool_use_id: "c" };
  return { ...common, cwd, hook_event_name: "PreToolUse", tool_name: tool, tool_input: { command }, ...more };
};

const answerOf = (call: FakeCall): Answer["hookSpecificOutput"] => (JSON.parse(call.out()) as Answer).hookSpecificOutput;

const patch = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

test("a command is made to run in a sandbox of the project, in the one form that Codex takes, and is not wrapped twice", async () => {
  await inDirectory(async (cwd) => {
    const command = `'/opt/glove box/glovebox' run --quiet --project ${cwd} -- bash -c 'echo '\\''a b'\\'' && cd /'`;
    for (const given of ["echo 'a b' && cd /", command]) {
      const call = await hook(use(cwd, "Bash", given), deciding("allow"));
      assert.equal(call.code, 0);
      assert.deepEqual(answerOf(call), { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: { command } });
    }
  });
});

test("a command that only begins like one of ours is wrapped whole", async () => {
  await inDirectory(async (cwd) => {
    const start = `'/opt/glove box/glovebox' run --quiet --project ${cwd} -- bash -c `;
    for (const end of ["true; id", "'a' 'b'", "$(id)", "'a'\\''b'; id'", "a\nid"]) {
      const { updatedInput } = answerOf(await hook(use(cwd, "Bash", `${start}${end}`), deciding("allow")));
      const { command } = updatedInput as { readonly command: string };
      assert.equal(command, `${start}'${`${start}${end}`.replaceAll("'", "'\\''")}'`, end);
    }
  });
});

test("a command that the policy denies or would ask about is denied with its reason, whatever the input claims", async () => {
  await inDirectory(async (cwd) => {
    const claims = { permission_mode: "bypassPermissions", permissionDecision: "allow", approved: true };
    for (const verdict of ["deny", "ask"] as const) {
      const env = { CODEX_SANDBOX: "none", GLOVEBOX_ALLOW: "1" };
      const call = await hook(use(cwd, "Bash", "git push", claims), { ...deciding(verdict), env });
      const { permissionDecision, permissionDecisionReason, updatedInput } = answerOf(call);
      assert.deepEqual([permissionDecision, updatedInput], ["deny", undefined]);
      assert.match(String(permissionDecisionReason), /Glovebox: /u);
    }
  });
});

test("every file of a patch is judged; what is denied, or opened by no rule, denies the whole", async () => {
  await inDirectory(async (cwd) => {
    const text = patch(
      "*** Add File: new",
      "+x",
      "  ***  update file: sub/../old \r",
      "*** Move to: /etc/moved",
      "@@",
      "-a",
      "+b",
      "*** Delete File:gone",
    );
    const asked: PlaceQuestion[] = [];
    const open = await hook(use(cwd, "apply_patch", text), judging("open", asked));
    assert.deepEqual([open.code, open.out()], [0, ""]);
    const places = [`${cwd}/new`, `${cwd}/old`, "/etc/moved", `${cwd}/gone`];
    assert.deepEqual(
      asked,
      places.map((place) => ({ access: "write", place })),
    );
    for (const judgement of ["denied", "unnamed"] as const) {
      assert.equal(answerOf(await hook(use(cwd, "apply_patch", text), judging(judgement)))["permissionDecision"], "deny");
    }
  });
});

test("other tools are left alone, and everything that is no such input blocks with a reason", async () => {
  await inDirectory(async (cwd) => {
    const other = await hook(use(cwd, "update_plan", "x"));
    assert.deepEqual([other.code, other.out()], [0, ""]);
    const rows: readonly unknown[] = [
      "",
      "[]",
      use(cwd, "Bash", ["ls"]),
      use(cwd, "Bash", ""),
      use(cwd, "Bash", "a\0b"),
      use(cwd, "apply_patch", "no patch"),
      use(cwd, "apply_patch", patch("*** Add File: ")),
      use(cwd, "Bash", "ls", { hook_event_name: "PermissionRequest" }),
      use("relative", "Bash", "ls"),
      use("/", "Bash", "ls"),
      "x".repeat(17 * 2 ** 20),
    ];
    for (const row of rows) {
      const call = await hook(row, deciding("allow"));
      assert.deepEqual([call.code, call.out()], [2, ""], JSON.stringify(row).slice(0, 80));
      // Codex goes on after a code 2 that comes without a word.
      assert.match(call.err(), /glovebox: /u);
    }
  });
});
