// A denial must be an error, never a pretence: a write that seems to succeed and lands in a throw-away mount would mislead the agent, and a denied
// file that reads as empty would be taken for its content. (The escape battery's family 18.)
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ground, makeGround } from "./harness/ground.ts";
import { boundaryWith, quietContext, specFor } from "./harness/inside.ts";

interface Denial {
  readonly name: string;
  /** Run by /bin/sh with the ground's project as $1 and the place outside as $2; must end with a code other than zero and print nothing. */
  readonly script: string;
}

const denials: readonly Denial[] = [
  { name: "reading a denied file", script: `cat "$1/secret.txt"` },
  { name: "reading a denied file in a write root", script: `cat "$1/out/secret.txt"` },
  { name: "listing a denied directory", script: `ls "$1/vault"` },
  { name: "listing a denied directory in a write root", script: `ls "$1/out/vault"` },
  { name: "making a file in a denied directory in a write root", script: `echo x > "$1/out/vault/new"` },
  { name: "making a directory in a denied directory", script: `mkdir "$1/vault/new"` },
  { name: "writing a denied file", script: `echo x > "$1/secret.txt"` },
  { name: "writing a denied file in a write root", script: `echo x > "$1/out/secret.txt"` },
  { name: "removing a denied file in a write root", script: `rm -f "$1/out/secret.txt"` },
  { name: "moving a file into a denied directory in a write root", script: `mv "$1/out/mine.txt" "$1/out/vault/"` },
  { name: "copying a file into a denied directory in a write root", script: `cp "$1/out/mine.txt" "$1/out/vault/"` },
  { name: "linking a file into a denied directory in a write root", script: `ln "$1/out/mine.txt" "$1/out/vault/linked"` },
  { name: "making a directory in a denied directory in a write root", script: `mkdir "$1/out/vault/new"` },
  { name: "emptying a denied file in a write root", script: `truncate -s 0 "$1/out/secret.txt"` },
  { name: "making a file in a protected directory", script: `echo x > "$1/out/locked/new"` },
  { name: "making a file in the read-only project", script: `echo x > "$1/new"` },
  { name: "making a file beside the project in the hidden home", script: `echo x > "$1/../new"` },
  { name: "making a file where nothing is shown", script: `mkdir -p "$2" && echo x > "$2/new"` },
  { name: "making a file in the root directory", script: `echo x > /new` },
  { name: "making a file in the system", script: `echo x > /usr/new || echo x > /etc/new` },
];

async function outcomeOf(ground: Ground, script: string): Promise<{ readonly code: number; readonly stdout: string }> {
  const spec = specFor({ ...ground, privateDirectory: ground.private });
  const sandbox = await boundaryWith("both").open(spec, quietContext(AbortSignal.timeout(120_000)));
  try {
    const execution = await sandbox.exec({ argv: ["/bin/sh", "-c", script, "sh", ground.project, ground.outside], cwd: ground.project });
    execution.endStdin();
    let stdout = "";
    for await (const { channel, bytes } of execution.output) if (channel === "stdout") stdout += Buffer.from(bytes).toString("latin1");
    const report = await execution.exit;
    return { code: report.kind === "exited" ? report.code : -1, stdout };
  } finally {
    await sandbox.close();
  }
}

for (const { name, script } of denials) {
  test(`${name} is an error inside, not a pretence`, async () => {
    await using resources = new AsyncDisposableStack();
    const ground = await makeGround(resources);
    const { code, stdout } = await outcomeOf(ground, script);
    assert.ok(code > 0, `ended with ${code}`);
    assert.equal(stdout, "");
  });
}

test("what is allowed works in the same sandbox: the control of this file", async () => {
  await using resources = new AsyncDisposableStack();
  const ground = await makeGround(resources);
  const { code, stdout } = await outcomeOf(
    ground,
    `cat "$1/readme.txt" && echo x > "$1/out/new" && ls "$1/out" && echo y > "$1/out/mine.txt" && cat "$1/out/locked.txt"`,
  );
  assert.equal(code, 0);
  assert.match(stdout, /^readme\.txt\n/u);
  assert.match(stdout, /\nnew\n/u);
});
