// Tests which policy documents a call finds, how strong each is, and which files are refused before they are read.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { gatherPolicySources, type GatherParts, readNamedPolicy, refuseWritablePolicy } from "./policy-files.ts";

const { uid } = userInfo();

async function places(t: TestContext): Promise<{ base: string; project: string; user: string; parts: GatherParts }> {
  const base = await mkdtemp(path.join(tmpdir(), "glovebox-files-"));
  t.after(() => rm(base, { recursive: true }));
  const project = path.join(base, "project");
  const user = path.join(base, "user");
  await mkdir(project);
  await mkdir(user);
  const parts: GatherParts = {
    places: { systemDirectory: path.join(base, "system"), userDirectory: user, uid },
    isTrusted: () => Promise.resolve(false),
    formatOfFile: (name) => (name.endsWith(".toml") ? "toml" : name.endsWith(".json") ? "json" : "yaml"),
  };
  return { base, project, user, parts };
}

const refused = (code: string) => (error: unknown) => error instanceof GloveboxError && error.code === code;

test("gatherPolicySources() orders user, project and flags from weak to strong", async (t) => {
  const { project, user, parts } = await places(t);
  await writeFile(path.join(user, "policy.yaml"), "apiVersion: glovebox/v1\n", { mode: 0o600 });
  await writeFile(path.join(project, "glovebox.toml"), 'apiVersion = "glovebox/v1"\n');
  const sources = await gatherPolicySources(parts, { projectDirectory: project, overrides: { limits: { wall: "1s" } } });
  assert.deepEqual(
    sources.map(({ origin, format }) => [origin, format]),
    [
      ["user", "yaml"],
      ["project", "toml"],
      ["flags", "json"],
    ],
  );
});

test("gatherPolicySources() calls a project file trusted only when its content is pinned", async (t) => {
  const { project, parts } = await places(t);
  await writeFile(path.join(project, "glovebox.yaml"), "a: 1\n");
  const [source] = await gatherPolicySources(
    { ...parts, isTrusted: ({ bytes }) => Promise.resolve(Buffer.from(bytes).toString() === "a: 1\n") },
    { projectDirectory: project },
  );
  assert.equal(source?.origin, "project-trusted");
});

test("gatherPolicySources() refuses two project policies side by side", async (t) => {
  const { project, parts } = await places(t);
  await writeFile(path.join(project, "glovebox.yaml"), "a: 1\n");
  await writeFile(path.join(project, "glovebox.json"), "{}");
  await assert.rejects(gatherPolicySources(parts, { projectDirectory: project }), refused("POLICY_UNREADABLE"));
});

test("gatherPolicySources() refuses a user policy that others can write", async (t) => {
  const { project, user, parts } = await places(t);
  const file = path.join(user, "policy.yaml");
  await writeFile(file, "apiVersion: glovebox/v1\n");
  await chmod(file, 0o666);
  await assert.rejects(gatherPolicySources(parts, { projectDirectory: project }), refused("STATE_INSECURE"));
});

test("gatherPolicySources() refuses a policy that is a link to nothing, or hangs on one: it is unreadable, not absent", async (t) => {
  const { base, project, user, parts } = await places(t);
  const selection = { projectDirectory: project };
  await assert.doesNotReject(gatherPolicySources(parts, selection));
  for (const link of [path.join(project, "glovebox.yml"), path.join(user, "policy.toml"), path.join(base, "system")]) {
    await symlink(path.join(base, "nothing"), link);
    await assert.rejects(gatherPolicySources(parts, selection), refused("POLICY_UNREADABLE"), link);
    await rm(link);
  }
  await symlink(user, path.join(base, "system"));
  await assert.doesNotReject(gatherPolicySources(parts, selection), "a directory that is a link may hold no policy");
});

test("gatherPolicySources() refuses a project policy that is a link to where a command may write, not one that leads out", async (t) => {
  const { base, project, parts } = await places(t);
  const selection = { projectDirectory: project };
  const link = path.join(project, "glovebox.yaml");
  for (const file of [path.join(project, "plain.yaml"), path.join(base, "outside.yaml")]) await writeFile(file, "a: 1\n");
  await symlink("plain.yaml", link);
  await assert.rejects(gatherPolicySources(parts, selection), refused("POLICY_UNREADABLE"));
  await rm(link);
  await symlink("../outside.yaml", link);
  assert.equal((await gatherPolicySources(parts, selection)).length, 1);
});

test("readNamedPolicy() refuses what is missing, no regular file or too large", async (t) => {
  const { base } = await places(t);
  await writeFile(path.join(base, "large.yaml"), "#".repeat(256 * 1024 + 1));
  for (const file of ["/dev/tty", base, path.join(base, "missing.yaml"), path.join(base, "large.yaml")]) {
    await assert.rejects(readNamedPolicy(file), refused("POLICY_UNREADABLE"), file);
  }
});

test("refuseWritablePolicy() refuses a project policy that is a link into a write root elsewhere, and no other", async (t) => {
  const { base, project, parts } = await places(t);
  const root = await realpath(base);
  await mkdir(path.join(base, "shared"));
  await writeFile(path.join(base, "shared/p.yaml"), "apiVersion: glovebox/v1\n");
  await symlink("../shared/p.yaml", path.join(project, "glovebox.yaml"));
  const sources = await gatherPolicySources(parts, { projectDirectory: project });
  await refuseWritablePolicy(sources, [path.join(root, "project"), path.join(root, "other")]);
  await assert.rejects(refuseWritablePolicy(sources, [path.join(root, "shared")]), refused("POLICY_UNREADABLE"));
  await rm(path.join(project, "glovebox.yaml"));
  await writeFile(path.join(project, "glovebox.yaml"), "apiVersion: glovebox/v1\n");
  await refuseWritablePolicy(await gatherPolicySources(parts, { projectDirectory: project }), [path.join(root, "project")]);
});
