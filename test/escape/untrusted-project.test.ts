// What an untrusted project's policy names is judged by what a sandbox would then see, not by lists alone: it never sees more than without
// the project. The same for everybody above a floor. INVARIANT I-15
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { planBeginning, planSandbox } from "../../src/boundaries/process/process.ts";
import { withheldOn } from "../../src/boundaries/process/rules.ts";
import { textTree } from "../../src/boundaries/process/text-tree.ts";
import { accessInView } from "../../src/boundaries/process/view.ts";
import { sandboxIdSchema, taskIdSchema } from "../../src/contracts/ids.ts";
import { GloveboxError } from "../../src/contracts/glovebox-error.ts";
import { PolicyError } from "../../src/contracts/policy-error.ts";
import type { CompiledPolicy, PolicyFacts, PolicySource } from "../../src/contracts/policy-port.ts";
import { loadPolicy } from "../../src/policy/policy.ts";

const [home, project] = ["/home/ann", "/home/ann/app"];
const files: Readonly<Record<string, string>> = {
  "/bin": "-> usr/bin",
  "/usr/bin/sh": "",
  "/etc/passwd": "root:x:0:0::/root:/bin/sh\n",
  "/etc/group": "",
  "/etc/hosts": "",
  "/etc/shadow": "",
  "/etc/kubernetes/admin.conf": "",
  "/etc/kubernetes/pki/ca.key": "",
  "/etc/ssl/certs/ca.pem": "",
  "/etc/ssl/private/a.key": "",
  "/etc/ssl/server.key": "",
  "/etc/ssh/ssh_host_rsa_key": "",
  "/home/ann/.ssh/id": "",
  "/home/ann/.cargo/bin/cargo": "",
  "/home/ann/notes/x": "",
  "/home/ann/keys": "-> /etc/ssl/private",
  "/home/ann/app/a/b": "",
  "/home/ann/app/c": "",
  "/srv/data/a/b": "",
  "/srv/data/c": "",
};
const tree = textTree(files);
const facts: PolicyFacts = { home, projectDirectory: project, canonicalPath: (path) => tree.canonical(path) ?? path };
const places = [
  ["/etc", "/etc/shadow", "/etc/kubernetes", "/etc/kubernetes/pki", "/etc/kubernetes/pki/ca.key"],
  ["/etc/ssl", "/etc/ssl/private", "/etc/ssl/private/a.key", "/etc/ssl/server.key", "/etc/ssh/ssh_host_rsa_key", "~/keys", "~/keys/a.key"],
  ["~/.ssh", "~/notes", "~/notes/x", "~/.cargo", ".", "./a", "./a/b", "/srv/data", "/srv/data/a"],
].flat();

type Document = Readonly<Record<string, unknown>>;

function source(document: Document, origin: PolicySource["origin"]): PolicySource {
  const lists = origin === "flags" ? { lists: "add" as const } : {};
  return { origin, label: origin, format: "json", text: JSON.stringify({ apiVersion: "glovebox/v1", ...document }), ...lists };
}

/** What a command could do at each file; undefined where the policy or its layout is refused. */
function seen(sources: readonly PolicySource[]): ReadonlyMap<string, string> | undefined {
  try {
    return seenWith(loadPolicy(sources, facts));
  } catch (error) {
    if (error instanceof PolicyError || (error instanceof GloveboxError && error.code === "PATH_RULE_UNENFORCEABLE")) return undefined;
    throw error;
  }
}

function seenWith({ paths, limits }: CompiledPolicy): ReadonlyMap<string, string> {
  const spec = {
    taskId: taskIdSchema.parse("t-000000000000-000000000001"),
    sandboxId: sandboxIdSchema.parse("s-000000000000-0000000000ff"),
    projectDirectory: project,
    privateDirectory: "/var/none",
    paths,
    environment: {},
    limits,
    user: { uid: 1000, gid: 1000, name: "ann", home },
  };
  const machine = { cgroups: [], processors: 2 };
  const facts = { tree, protectedPaths: [], guardPath: "/usr/bin/sh", captivePath: "/usr/bin/sh", machine };
  const { view } = planSandbox(spec, facts, planBeginning(spec, facts));
  return new Map(Object.keys(files).map((file) => [file, accessInView(view, file)]));
}

const rank = (access: string | undefined): number => ["read", "write"].indexOf(access ?? "") + 1;

/** @returns the files at which `inner` allows more than `outer` */
function widened(inner: ReadonlyMap<string, string>, outer: ReadonlyMap<string, string>): readonly string[] {
  return [...inner].filter(([file, access]) => rank(access) > rank(outer.get(file))).map(([file]) => file);
}

const list = (rarity: number, maxLength: number): fc.Arbitrary<readonly string[] | undefined> =>
  fc.oneof(
    { weight: rarity, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom(...places), { maxLength }) },
  );
const reads = (maxLength: number): fc.Arbitrary<readonly string[]> => fc.uniqueArray(fc.constantFrom(...places), { maxLength });
const documentOf = (maxReads: number): fc.Arbitrary<Document> =>
  fc.record({
    filesystem: fc.record({ allowRead: reads(maxReads), denyRead: list(5, 2), denyWrite: list(5, 2), allowWrite: list(8, 1) }),
  });

test("an untrusted project never makes a path readable or writable that was not before", () => {
  let compared = 0;
  let narrowed = 0;
  const property = fc.property(documentOf(4), documentOf(3), (user, narrow) => {
    const outer = seen([source(user, "user")]);
    const inner = outer === undefined ? undefined : seen([source(user, "user"), source(narrow, "project")]);
    if (outer === undefined || inner === undefined) return;
    compared += 1;
    if (widened(outer, inner).length > 0) narrowed += 1;
    assert.deepEqual(widened(inner, outer), []);
  });
  fc.assert(property, { numRuns: 1500 });
  assert.ok(compared > 100 && narrowed > 25, `${compared} compared, ${narrowed} narrowed`);
});

test("nobody above a floor makes a path readable or writable that it keeps", () => {
  let compared = 0;
  const property = fc.property(
    documentOf(4),
    documentOf(3),
    fc.constantFrom("user", "flags", "project-trusted"),
    (floor, above, origin) => {
      const ceiling = source({ ...floor, floor: true }, "system");
      const outer = seen([ceiling]);
      const inner = outer === undefined ? undefined : seen([ceiling, source(above, origin)]);
      if (outer === undefined || inner === undefined) return;
      compared += 1;
      assert.deepEqual(widened(inner, outer), []);
    },
  );
  fc.assert(property, { numRuns: 1500 });
  assert.ok(compared > 100, `${compared} compared`);
});

const secrets = { "/etc/kubernetes": "/etc/kubernetes/admin.conf", "/etc/ssl/private": "/etc/ssl/private/a.key" };
const reading = (...allowRead: readonly string[]): Document => ({ filesystem: { allowRead } });
const readable = (file: string, ...sources: readonly PolicySource[]): boolean => rank(seen(sources)?.get(file)) > 0;

for (const [directory, file] of Object.entries(secrets)) {
  test(`an untrusted project does not open ${directory} by naming it where the user named /etc`, () => {
    const user = source(reading("/etc"), "user");
    assert.equal(readable(file, user), false);
    for (const entry of [directory, file]) assert.equal(readable(file, user, source(reading(entry), "project")), false, entry);
    assert.equal(readable("/etc/passwd", user, source(reading("/etc", directory), "project")), true);
    // The controls: the user, a trusted project and a flag open it by the same words.
    assert.equal(readable(file, source(reading("/etc", directory), "user")), true);
    assert.equal(readable(file, user, source(reading(directory), "project-trusted")), true);
    assert.equal(readable(file, user, source(reading(directory), "project"), source(reading(directory), "flags")), true);
  });

  test(`an untrusted project keeps of ${directory} what the user opened`, () => {
    const user = source(reading("/etc", directory), "user");
    assert.equal(readable(file, user, source(reading(directory), "project")), true);
    assert.equal(readable(file, user, source(reading(file), "project")), true);
    assert.equal(readable(file, user, source(reading(), "project")), false);
    const second = [source(reading("/etc"), "project"), source(reading(directory), "project")];
    assert.equal(readable(file, user, ...second), false, "what one project closed, another one opened");
  });
}

test("what an untrusted project cannot open is shown as withheld, and nothing else is", () => {
  const user = source(reading("/etc", "~/notes"), "user");
  const { paths } = loadPolicy([user, source(reading("/etc/shadow", "/etc/hosts", "~/notes/x"), "project")], facts);
  assert.deepEqual(withheldOn(tree, paths, home), ["/etc/shadow"]);
  assert.deepEqual(withheldOn(tree, loadPolicy([source(reading("/etc/shadow"), "user")], facts).paths, home), []);
});

test("an untrusted project reaches nothing hidden through a link that the user opened a way to", () => {
  const user = source(reading("/etc", "~/notes"), "user");
  assert.equal(readable("/etc/ssl/private/a.key", user, source(reading("~/keys"), "project")), false);
  assert.equal(readable("/home/ann/notes/x", user, source(reading("~/notes/x"), "project")), true);
});
