// What becomes of an unpacked tree: nothing of a machine in it, no secret, one manifest; and what of apt's and dpkg's words is understood.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { sha256Digest } from "../kit/digest.ts";
import { removeTree } from "../kit/remove-tree.ts";
import { optionsOf, sourcesOf } from "./apt-settings.ts";
import { packagesOf, sealTree } from "./build-template.ts";
import { givesIds, requireProgram } from "./run-builder.ts";

function makeRoot(t: TestContext, files: Readonly<Record<string, string>>): string {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "glovebox-tree-")));
  t.after(() => removeTree(base, { parent: path.dirname(base) }));
  const root = path.join(base, "root");
  for (const name of ["usr/bin", "usr/sbin", "usr/lib", "var"]) mkdirSync(path.join(root, name), { recursive: true });
  for (const name of ["bin", "sbin", "lib"]) symlinkSync(`usr/${name}`, path.join(root, name));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, 1000, 1000);
  }
  return root;
}

const seal = (root: string) => sealTree(root, "amd64", () => {});

test("sealTree() takes out what tells one machine from another, and says so", async (t) => {
  const machine = {
    "etc/machine-id": "4c1d\n",
    "etc/ssh/ssh_host_ed25519_key": "key",
    "etc/ssh/ssh_host_ed25519_key.pub": "key",
    "var/lib/systemd/random-seed": "seed",
    "var/lib/dbus/machine-id": "4c1d\n",
  };
  const root = makeRoot(t, { ...machine, "etc/ssh/ssh_config": "Host *\n", "etc/passwd": "root:x:0:0::/:/bin/sh\n", "root/.bashrc": "" });
  const { removed } = await seal(root);
  assert.deepEqual(removed, Object.keys(machine).toSorted());
  for (const place of [...removed, "etc/passwd", "root"]) assert.equal(existsSync(path.join(root, place)), false, place);
  assert.deepEqual(readdirSync(path.join(root, "etc/ssh")), ["ssh_config"]);
});

test("sealTree() refuses a tree that holds a secret, with file and line", async (t) => {
  const root = makeRoot(t, { "usr/share/app/.npmrc": `registry=x\n//r/:_authToken=${"q1w2e3r4t5".repeat(3)}\n` });
  await assert.rejects(seal(root), {
    code: "TEMPLATE_HOLDS_SECRET",
    values: { file: "usr/share/app/.npmrc", line: 2, kind: "token", count: 1 },
  });
});

test("sealTree() gives equal trees one id whatever their modes, and another to one byte more", async (t) => {
  const idOf = async (text: string, mode: number): Promise<string> => {
    const root = makeRoot(t, { "usr/bin/tool": text });
    chmodSync(path.join(root, "usr/bin/tool"), mode);
    for (const name of ["usr/bin", "usr/sbin", "usr/lib", "usr", "var"]) utimesSync(path.join(root, name), 1000, 1000);
    const { manifest } = await seal(root);
    assert.equal(statSync(path.join(root, "usr/bin/tool")).mode & 0o7777, 0o755);
    return sha256Digest(manifest);
  };
  assert.equal(await idOf("a", 0o4750), await idOf("a", 0o711));
  assert.notEqual(await idOf("a", 0o755), await idOf("b", 0o755));
});

test("sealTree() refuses a system whose programs lie in two places", async (t) => {
  const root = makeRoot(t, {});
  await removeTree(path.join(root, "sbin"), { parent: root });
  mkdirSync(path.join(root, "sbin"));
  await assert.rejects(seal(root), { code: "TEMPLATE_BUILD_FAILED" });
});

test("sourcesOf() takes the distribution's own releases once, with their keyring, and nobody else's", () => {
  const rows = [
    ["http://a.example/debian/", "bookworm", "main", "$(SIGNED_BY)", "amd64"],
    ["http://a.example/debian/", "bookworm", "main", "$(SIGNED_BY)", "all"],
    ["http://a.example/debian/", "bookworm", "main", "$(SIGNED_BY)", "amd64"],
    ["http://a.example/security/", "bookworm-security", "main", "/usr/share/keyrings/a.gpg", "amd64"],
    ["http://b.example/", "nodistro", "main", "/b.gpg", "amd64"],
    ["http://b.example/", "cloud-bookworm", "main", "/b.gpg", "amd64"],
  ];
  const text = rows.map((row) => row.join("\t")).join("\n");
  assert.deepEqual(sourcesOf(text, { suite: "bookworm", architecture: "amd64" }), [
    "deb [arch=amd64] http://a.example/debian/ bookworm main",
    "deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://a.example/security/ bookworm-security main",
  ]);
});

test("optionsOf() carries how to get there, never what is trusted", () => {
  const dump = [
    'Acquire "";',
    'Acquire::http "";',
    'Acquire::http::Proxy "http://proxy.example:3128";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::AllowInsecureRepositories "1";',
    'Acquire::Retries "3";',
  ].join("\n");
  assert.deepEqual(optionsOf(dump), [
    'Acquire::http::Proxy "http://proxy.example:3128";',
    'Acquire::Check-Valid-Until "false";',
    'Acquire::Retries "3";',
  ]);
});

test("packagesOf() names what is installed, not what was", () => {
  const status =
    "Package: b\nStatus: install ok installed\nVersion: 2\n\nPackage: c\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: a\nStatus: install ok installed\nVersion: 1:1\n";
  assert.deepEqual(packagesOf(status), ["a 1:1", "b 2"]);
});

test("givesIds() wants as many as a system has, for this user by name or number", () => {
  const user = { uid: 1001, username: "ada" };
  assert.equal(givesIds("bob:100000:65536\nada:165536:65536\n", user), true);
  assert.equal(givesIds("1001:100000:65536\n", user), true);
  assert.equal(givesIds("ada:100000:1000\nbob:1:65536\n", user), false);
});

test("requireProgram() names the package that brings it", () => {
  assert.throws(() => requireProgram("no-such-builder", "its-package"), {
    code: "TEMPLATE_UNBUILDABLE",
    values: { program: "no-such-builder", package: "its-package" },
  });
});
