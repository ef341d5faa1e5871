// The masker alone, in a mount namespace that the test makes: other file systems, limits of the kernel, lost notices. What changes and what
// is read there goes through a shell in that namespace.
import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, test, type TestContext } from "node:test";
import { Masker } from "../../src/boundaries/process/masker.ts";
import { makeSandboxId } from "../../src/contracts/ids.ts";
import { globSegments, literalSegments } from "../../src/kit/path-glob.ts";
import { options, processesWith } from "./process-boundary-fixture.ts";
import { waitUntil } from "../fixtures/wait-until.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const ids = { nowMs: () => Date.now(), randomBytes: (count: number) => randomBytes(count) };
const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-masker-")));
after(() => removeScratch(base));

/** A shell that is root of its own user and mount namespace. */
class Room {
  readonly #shell: ChildProcessWithoutNullStreams;
  #said = "";

  constructor() {
    this.#shell = spawn("/usr/bin/unshare", ["-Urm", "--propagation", "private", "/bin/sh"], { env: { PATH: "/usr/bin:/bin:/usr/sbin" } });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) stream.on("data", (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  get pid(): number {
    return this.#shell.pid ?? 0;
  }

  /** What the script prints on both channels. */
  async run(script: string): Promise<string> {
    this.#said = "";
    this.#shell.stdin.write(`{ ${script}\n} 2>&1; echo "-done-"\n`);
    await waitUntil(script, () => Promise.resolve(this.#said.includes("-done-\n")));
    return this.#said.replace("-done-\n", "");
  }

  end(): void {
    this.#shell.kill("SIGKILL");
  }
}

interface Scene {
  readonly room: Room;
  readonly place: string;
  readonly masker: Masker;
  readonly sandboxId: string;
}

let scenes = 0;

/** @param prepare run in the namespace, in the place, before the masker joins it */
async function sceneOf(t: TestContext, prepare: string): Promise<Scene> {
  const place = path.join(base, `s${(scenes += 1)}`, "place");
  await mkdir(place, { recursive: true });
  const room = new Room();
  t.after(() => room.end());
  assert.equal(await room.run(`cd ${place} && { ${prepare}; } && cd ${place}`), "");
  const sandboxId = makeSandboxId(ids);
  const rule = {
    kind: "glob",
    text: ".env",
    segments: [...literalSegments(place), ...globSegments("**/.env")],
    sparesToolchains: false,
  } as const;
  const plan = { places: [place], rules: [rule], exempt: [], untold: undefined, isStrict: false };
  const masker = new Masker(options.maskerPath, sandboxId, plan, () => false);
  t.after(() => masker.close());
  return { room, place, masker, sandboxId };
}

const total = (masker: Masker, count: number) => waitUntil(`${count} late masks`, () => Promise.resolve(masker.lateMasks.total >= count));

test("a user who may watch no more directories is refused, and so is one who may open no more instances", async (t) => {
  const watches = await sceneOf(t, "mkdir 1 2 3 4 5 6 7 8; echo 4 > /proc/sys/user/max_inotify_watches");
  await assert.rejects(watches.masker.open(watches.room.pid), { code: "PATH_RULE_UNENFORCEABLE", situation: "wall.mask-watches" });
  const instances = await sceneOf(t, "echo 0 > /proc/sys/user/max_inotify_instances");
  await assert.rejects(instances.masker.open(instances.room.pid), { code: "PATH_RULE_UNENFORCEABLE", situation: "wall.mask-instances" });
});

test("a limit that is reached later ends the masker with the path", async (t) => {
  const { room, masker } = await sceneOf(t, "echo 3 > /proc/sys/user/max_inotify_watches");
  await masker.open(room.pid);
  await room.run("mkdir -p a/b/c/d/e");
  assert.equal((await masker.ended)?.situation, "wall.mask-watches");
});

test("a directory that its own user has closed to listing is looked into all the same", async (t) => {
  const { room, place, masker } = await sceneOf(t, "mkdir shut; echo canary > shut/.env; chmod 0111 shut");
  t.after(() => chmod(path.join(place, "shut"), 0o700)); // so that an ordinary user can remove it
  await masker.open(room.pid);
  assert.match(await room.run("cat shut/.env"), /Permission denied/u);
});

test("what lies on overlayfs and on file systems mounted below the place is hidden, now and later", async (t) => {
  const prepare = [
    "mkdir ../lower ../upper ../work merged memory",
    "echo canary-lower > ../lower/.env",
    "mount -t overlay overlay -o userxattr,lowerdir=../lower,upperdir=../upper,workdir=../work merged",
    "mount -t tmpfs tmpfs memory",
    "echo canary-memory > memory/.env",
  ].join(" && ");
  const { room, masker } = await sceneOf(t, prepare);
  await masker.open(room.pid);
  assert.equal((await room.run("cat merged/.env memory/.env")).match(/Permission denied/gu)?.length, 2);
  await room.run("mkdir -p merged/new memory/new; echo canary-late > merged/new/.env; echo canary-late > memory/new/.env");
  await total(masker, 2);
  assert.equal((await room.run("cat merged/new/.env memory/new/.env")).match(/Permission denied/gu)?.length, 2);
});

test("names with newline, quotes and bytes that are no text are watched and hidden like any other", async (t) => {
  const odd = `"$(printf 'a\\nb\\377\\047"$')"`;
  const { room, masker, place } = await sceneOf(t, `mkdir ${odd}; echo canary > ${odd}/.env`);
  await masker.open(room.pid);
  assert.match(await room.run(`cat ${odd}/.env`), /Permission denied/u);
  await room.run(`mkdir ${odd}/${odd}; echo canary > ${odd}/${odd}/.env`);
  await total(masker, 1);
  assert.match(await room.run(`cat ${odd}/${odd}/.env`), /Permission denied/u);
  assert.ok(masker.lateMasks.first[0]?.path.startsWith(`${place}/a\nb`));
});

test("when notices are lost everything is looked at again", async (t) => {
  const queue = Number(await readFile("/proc/sys/fs/inotify/max_queued_events", "utf8"));
  const { room, masker, place, sandboxId } = await sceneOf(t, "mkdir many deep");
  await masker.open(room.pid);
  const [pid] = await processesWith(sandboxId);
  process.kill(Number(pid), "SIGSTOP");
  await mkdir(path.join(place, "deep/er"));
  for (let index = 0; index <= queue; index += 500)
    await Promise.all(Array.from({ length: 500 }, (_, part) => writeFile(path.join(place, `many/${index + part}`), "")));
  await mkdir(path.join(place, "deep/er/lost"));
  await writeFile(path.join(place, "deep/er/lost/.env"), "canary");
  process.kill(Number(pid), "SIGCONT");
  await waitUntil("a second look", () => Promise.resolve(masker.lateMasks.behind > 0));
  await masker.settle();
  assert.match(await room.run("cat deep/er/lost/.env"), /Permission denied/u);
  await room.run("mkdir deep/after; echo canary > deep/after/.env");
  await masker.settle();
  assert.match(await room.run("cat deep/after/.env"), /Permission denied/u);
});
