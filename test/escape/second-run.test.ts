// What one run leaves in a write root must not widen what the next run may do, nor be executed by the host side of it. INVARIANT I-15
// Each case is two runs of the real command line with the same policy of the user: the first plants, the second tries to profit.
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { openHouse, plant } from "./harness/house.ts";
import { hostContent, hostHas } from "./harness/stages.ts";

test("a link planted where the policy names a write root does not open its target to writes", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: [".", "./build"]}`);
  await plant(house, `rm -r build && ln -s "$1" build`);
  await house.run(`echo planted > build/authorized_keys; echo planted > "$1/authorized_keys"; echo changed > "$1/key"`);
  assert.equal(await hostHas(path.join(house.outside, "authorized_keys")), false);
  assert.equal(await hostContent(path.join(house.outside, "key")), house.canary);
});

test("a link planted where the policy allows reading does not open its target to reads", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: ["."], allowRead: ["./build"]}`);
  await plant(house, `rm -r build && ln -s "$1" build`);
  const { stdout } = await house.run(`cat build/key "$1/key"`);
  assert.ok(!stdout.includes(house.canary), "the target of the planted link was readable");
});

test("a link planted above a directory that the policy names does not open its target", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: [".", "./build/treasure"]}`);
  await plant(house, `rm -r build && ln -s "\${1%/*}" build`);
  const { stdout } = await house.run(`cat build/treasure/key "$1/key"; echo changed > "$1/key"`);
  assert.ok(!stdout.includes(house.canary), "the target of the planted link was readable");
  assert.equal(await hostContent(path.join(house.outside, "key")), house.canary);
});

test("a policy cannot be planted in the project, and one that came with it does not widen the next run", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: ["."]}`);
  const names = ["glovebox.yaml", "glovebox.json", ".glovebox/policy.yaml"];
  await house.run(`mkdir -p .glovebox; for file in ${names.join(" ")}; do echo "apiVersion: glovebox/v1" > $file; done`);
  for (const name of names) assert.equal(await hostHas(path.join(house.project, name)), false, name);
  const text = `apiVersion: glovebox/v1\nmetadata: {name: planted}\nfilesystem: {allowRead: ["${house.outside}"], allowWrite: ["${house.outside}"]}\n`;
  await writeFile(path.join(house.project, "glovebox.yaml"), text);
  const { stdout } = await house.run(`cat "$1/key"; echo changed > "$1/key"`);
  assert.ok(!stdout.includes(house.canary), "the planted policy was obeyed");
  assert.equal(await hostContent(path.join(house.outside, "key")), house.canary);
});

test("a policy of the project cannot be taken away from the next run, nor the project be moved below it", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: ["."]}`);
  const file = path.join(house.project, "glovebox.yaml");
  await writeFile(file, "apiVersion: glovebox/v1\nmetadata: {name: narrow}\nfilesystem: {denyRead: [kept/secret]}\n");
  await mkdir(path.join(house.project, "kept"));
  await writeFile(path.join(house.project, "kept/secret"), house.canary);
  await house.run("rm -f glovebox.yaml; mv glovebox.yaml away; unlink glovebox.yaml; mkdir kept/.git; rm -rf .git");
  assert.equal(await hostHas(file), true);
  assert.equal(await hostHas(path.join(house.project, "away")), false);
  const { stdout } = await house.run("cat kept/secret");
  assert.ok(!stdout.includes(house.canary), "the second run could read what the policy denies");
});

test("programs planted in a search directory of the project are never started on the host", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: ["."]}`, "PROJECT/bin:/usr/local/bin:/usr/bin:/bin");
  const names = "bwrap guard launcher node git newuidmap unshare setpriv sh getent";
  await plant(
    house,
    `mkdir bin && for name in ${names}; do printf '#!/bin/sh\\necho ran >> "%s/ran"\\n' "$1" > bin/$name && chmod +x bin/$name; done`,
  );
  const { code } = await house.run("true");
  assert.equal(code, 0);
  assert.equal(await hostHas(path.join(house.outside, "ran")), false);
  // The control: the planted program does what it says when something on the host starts it.
  await chmod(house.outside, 0o777);
  await capture(path.join(house.project, "bin/bwrap"), [], { environment: { PATH: "/usr/bin:/bin" } });
  assert.equal(await hostHas(path.join(house.outside, "ran")), true);
});

test("a result file goes where its directory was, whatever the command put in the directory's place", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openHouse(resources, `{allowWrite: ["."]}`);
  await mkdir(path.join(house.project, "out"));
  const { code } = await house.run(`rmdir out && ln -s "$1" out`, ["--result-file", path.join(house.project, "out/settings.json")]);
  assert.notEqual(code, undefined);
  assert.equal(await hostHas(path.join(house.outside, "settings.json")), false);
});
