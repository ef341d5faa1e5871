// A hard link that one run plants while nothing is denied must not be the way around what the next run is denied. INVARIANT I-15
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { link, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { hostFileTree } from "../../src/boundaries/process/file-tree.ts";
import { refuseLinkedNames } from "../../src/boundaries/process/linked-names.ts";
import { capture, type Captured } from "../../src/kit/spawn.ts";
import { makeCanary } from "./harness/ground.ts";
import { type House, openHouse, plant, plantFromHost } from "./harness/house.ts";
import { hostContent } from "./harness/stages.ts";

const denials = ["--deny-write", ".git", "--deny-write", "frozen.txt", "--deny-read", "private"];

/** A repository, a secret and a frozen file; and what only the host writes there after the first run. */
async function openFurnished(resources: AsyncDisposableStack): Promise<House & { readonly secret: string; readonly token: string }> {
  const house = await openHouse(resources, `{allowWrite: ["."]}`);
  const [hooks, hidden] = [path.join(house.project, ".git/hooks"), path.join(house.project, "private")];
  for (const directory of [hooks, hidden]) await mkdir(directory, { recursive: true });
  await writeFile(path.join(house.project, ".git/config"), "[core]\n");
  await writeFile(path.join(hooks, "pre-commit"), "#o\n");
  await writeFile(path.join(house.project, "frozen.txt"), "frozen\n");
  const token = path.join(hidden, "token");
  await writeFile(token, "old\n");
  return { ...house, secret: makeCanary(), token };
}

function assertRefused({ code, stderr }: Captured, names: readonly string[]): void {
  assert.equal(code, 122, stderr);
  for (const name of names) assert.ok(stderr.includes(name), `${name} is not in: ${stderr}`);
}

const plants = [
  { name: "a file of a directory that may not be written", original: ".git/config", hit: "echo evil >> second" },
  { name: "a hook of a repository that may not be written", original: ".git/hooks/pre-commit", hit: "echo evil >> second" },
  { name: "a file that may not be written", original: "frozen.txt", hit: "echo evil >> second" },
  { name: "a file of a directory that may not be read", original: "private/token", hit: "cat second" },
] as const;

for (const { name, original, hit } of plants) {
  test(`a second name for ${name} does not undo the denial in the next run`, async () => {
    await using resources = new AsyncDisposableStack();
    const house = await openFurnished(resources);
    const file = path.join(house.project, original);
    // A name that is no text, in a directory of its own: it counts like any other.
    const leave = original.startsWith(".git/") ? plantFromHost : plant;
    await leave(house, `mkdir deep; ln "${original}" "deep/$(printf 'a\\377')" && ln deep/a* second`);
    await writeFile(house.token, `${house.secret}\n`);
    const before = await hostContent(file);
    assertRefused(await house.run(hit, denials), [original]);
    assert.equal(await hostContent(file), before);
    await rm(path.join(house.project, "second"));
    assertRefused(await house.run("cat deep/a*; echo evil >> deep/a*", denials), [original]);
    assert.equal(await hostContent(file), before);
    // The control: without the denial the same script reads or changes the same file.
    const { stdout } = await house.run("cat deep/a*; for name in deep/a*; do echo evil >> $name; done");
    assert.ok(stdout.includes(before ?? "nothing"), "the second name is another file");
    assert.notEqual(await hostContent(file), before);
  });
}

test("a second name in a directory that the first run closed is not overlooked", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openFurnished(resources);
  await plant(house, "mkdir closed && ln private/token closed/t && chmod 0 closed");
  await writeFile(house.token, `${house.secret}\n`);
  const { stdout, code } = await house.run("chmod 700 closed; cat closed/t", denials);
  assert.ok(!stdout.includes(house.secret), "the second name was readable");
  assert.equal(code, 122);
  await capture("/bin/chmod", ["700", path.join(house.project, "closed")]);
});

test("a second name at the end of a path that is longer than the kernel takes is not overlooked", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openFurnished(resources);
  const name = "d".repeat(200);
  resources.defer(async () => void (await capture("/bin/rm", ["-rf", path.join(house.project, name)])));
  const walk = (step: string): string => `i=0; while [ $i -lt 25 ]; do ${step}; i=$((i+1)); done`;
  await plantFromHost(house, `ln private/token t; ${walk(`mkdir -p ${name}; mv t ${name}/t; cd -P ${name}`)}`);
  await writeFile(house.token, `${house.secret}\n`);
  const script = `${walk(`cd -P ${name}`)}; cat t`;
  assertRefused(await house.run(script, denials), [name]);
  const { stdout } = await house.run(script);
  assert.ok(stdout.includes(house.secret), "the control did not find its file");
});

test("second names that no command can use refuse nothing", async () => {
  await using resources = new AsyncDisposableStack();
  const house = await openFurnished(resources);
  await link(path.join(house.project, ".git/config"), path.join(house.outside, "object"));
  await link(house.token, path.join(house.outside, "token"));
  await link(house.token, path.join(house.project, "private/again"));
  await mkdir(path.join(house.project, "src"));
  await writeFile(path.join(house.project, "src/one"), "");
  await link(path.join(house.project, "src/one"), path.join(house.project, "src/two"));
  const { code, stderr } = await house.run("echo works > src/one", denials);
  assert.equal(code, 0, stderr);
});

test("the search for second names in a repository of 5,000 files takes little of an open", async (t) => {
  await using resources = new AsyncDisposableStack();
  const { project } = await openFurnished(resources);
  for (let bucket = 0; bucket < 250; bucket++) {
    const directory = path.join(project, ".git/objects", bucket.toString(16).padStart(2, "0"));
    await mkdir(directory, { recursive: true });
    for (let file = 0; file < 20; file++) await writeFile(path.join(directory, String(file)), "");
  }
  // Something in the project has two names, so that the repository is searched to its end.
  await writeFile(path.join(project, "one"), "");
  await link(path.join(project, "one"), path.join(project, "two"));
  const rules = [
    { path: project, effect: "write", origin: "policy" },
    { path: path.join(project, ".git"), effect: "freeze", origin: "policy" },
  ] as const;
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now();
    refuseLinkedNames(rules, hostFileTree(true));
    return performance.now() - start;
  }).toSorted((left, right) => left - right);
  const [best = 0, , , , , , , middle = 0] = times;
  t.diagnostic(`search of a .git with 5,000 files: best ${best.toFixed(1)} ms, median ${middle.toFixed(1)} ms of ${times.length}`);
  await link(path.join(project, ".git/config"), path.join(project, "second"));
  assert.throws(() => refuseLinkedNames(rules, hostFileTree(true)), /second-name|second name/u);
});

test("a directory of very many entries is looked at in portions, and refused where it holds more than may be looked at", async () => {
  await using resources = new AsyncDisposableStack();
  const { project } = await openFurnished(resources);
  const many = path.join(project, "many");
  await mkdir(many);
  const last = path.join(many, "original");
  await writeFile(last, "");
  for (let file = 0; file < 6000; file++) writeFileSync(path.join(many, `${"n".repeat(200)}${file}`), ""); // 1.2 MiB of directory
  await link(last, path.join(project, "second"));
  const whole = hostFileTree(true).survey(many, 1_000_000);
  assert.deepEqual([whole.entries, whole.isCut, whole.linked.map(({ name }) => name)], [6001, false, ["original"]]);
  const cut = hostFileTree(true).survey(many, 5000);
  assert.deepEqual([cut.entries, cut.isCut], [5000, true]);
  const rules = [
    { path: project, effect: "write", origin: "policy" },
    { path: many, effect: "freeze", origin: "policy" },
  ] as const;
  assert.throws(() => refuseLinkedNames(rules, hostFileTree(true), { entries: 5000, kept: 5000 }), {
    situation: "wall.second-names-unsearched",
  });
});
