// The library from its sources: commands that run once, sandboxes that stay open, streams, signals and errors. INVARIANT I-01, I-09, I-13
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, test } from "node:test";
import { Glovebox, GloveboxError, type OutputChunk } from "../../src/lib.ts";
import { code, makeWorld, stopBroker, withProject } from "../fixtures/library-world.ts";

const worlds = { hold: await makeWorld({ after }, "hold"), attach: await makeWorld({ after }, "attach") };

/** What prints the sleeping processes that are there. */
const sleepers = "grep -l '^sleep' /proc/[0-9]*/cmdline";

test("`run` hands over output, end and the seven answers, and leaves nothing", async () => {
  const { glovebox, project, stateHome } = await withProject(worlds.hold);
  const result = await glovebox.run(["sh", "-c", "cat; echo made > file; echo gone >&2; exit 3"], { project, stdin: "given\n" });
  assert.deepEqual([result.exitCode, result.outcome, result.stdout.text, result.stderr.text], [3, "failed", "given\n", "gone\n"]);
  assert.equal(await readFile(path.join(project, "file"), "utf8"), "made\n");
  assert.deepEqual(
    result.sheet.answers.map(({ question }) => question),
    ["read", "write", "connect", "identity", "happened", "kept", "held"],
  );
  assert.ok(result.sheet.answers[1]?.lines.some(({ text }) => text === project));
  assert.deepEqual(await readdir(path.join(stateHome, "glovebox/tasks")), []);
});

test("what cannot start says why as a code, a sentence and what to do, and starts nothing", async () => {
  const { glovebox, project } = await withProject(worlds.hold);
  const policy = { commands: [{ id: "no-push", match: { argvPrefix: ["git", "push"] }, verdict: "deny", reason: "a person pushes" }] };
  const denied = await glovebox.run(["git", "push"], { project, policy }).catch((error: unknown) => error);
  assert.ok(denied instanceof GloveboxError);
  assert.deepEqual([denied.code, denied.retry, denied.details["rule"]], ["POLICY_DENIED", "never", "no-push"]);
  assert.match(denied.message, /^Cannot run "git push": .*a person pushes/u);
  assert.ok(denied.hint.length > 0);
  const broken = await glovebox.run(["true"], { project, policy: { limits: { wall: 3 }, nothing: 1 } }).catch((error: unknown) => error);
  assert.ok(broken instanceof GloveboxError);
  assert.deepEqual(broken.problems.map((problem) => problem.key).toSorted(), ["limits.wall", "nothing"]);
  await assert.rejects(glovebox.run(["true"], { project: "/" }), code("USAGE_INVALID"));
  await assert.rejects(glovebox.run(["true"], { project: path.join(project, "missing") }), code("USAGE_INVALID"));
});

for (const broker of ["hold", "attach"] as const) {
  test(`an open sandbox of a broker to ${broker} takes commands one after another and at once, and answers for all of them`, async () => {
    const { glovebox, project } = await withProject(worlds[broker]);
    const sandbox = await glovebox.open({ project });
    await mkdir(path.join(project, "below"));
    const first = await sandbox.exec(["sh", "-c", 'pwd; echo "$OWN"'], { cwd: "below", env: { OWN: "mine" } });
    assert.deepEqual([first.exitCode, first.stdout.text], [0, `${sandbox.project}/below\nmine\n`]);
    const many = await Promise.all(Array.from({ length: 8 }, (_, index) => sandbox.exec(["echo", `${index}`])));
    assert.deepEqual(
      many.map(({ stdout }) => stdout.text),
      Array.from({ length: 8 }, (_, index) => `${index}\n`),
    );
    assert.deepEqual(
      (await glovebox.list()).map(({ sandbox: id }) => id),
      [sandbox.id],
    );
    assert.equal((await (await glovebox.use(sandbox.id)).exec(["echo", "again"])).stdout.text, "again\n");
    const nothing = await sandbox.exec(["nothing-such"]);
    assert.deepEqual([nothing.exitCode, nothing.notes.map(({ key }) => key)], [127, ["cli.run.not-found"]]);
    assert.match(nothing.notes[0]?.text ?? "", /nothing-such/u);
    const closed = await sandbox.close();
    assert.equal(closed.sheet.subject.kind === "task" && closed.sheet.subject.id, sandbox.task);
    await assert.rejects(sandbox.exec(["true"]), code("SANDBOX_CLOSED"));
    await assert.rejects(glovebox.use(sandbox.id), code("SANDBOX_CLOSED"));
    await assert.rejects(glovebox.use(`${sandbox.id.slice(0, -4)}0000`), code("SANDBOX_UNKNOWN"));
  });

  test(`a command of a broker to ${broker} is read, written to and signalled while it runs`, async () => {
    const { glovebox, project } = await withProject(worlds[broker]);
    await using sandbox = await glovebox.open({ project });
    const command = await sandbox.start([
      "sh",
      "-c",
      "trap 'echo heard; exit 5' USR1; while read word; do echo got $word; done; sleep 60 & wait",
    ]);
    await command.write("one\n");
    command.endInput();
    let heard = "";
    for await (const { bytes } of command.output) {
      heard += Buffer.from(bytes).toString();
      if (heard === "got one\n") command.signal("SIGUSR1");
    }
    assert.deepEqual([heard, (await command.result).exitCode], ["got one\nheard\n", 5]);
  });

  test(`an aborted signal ends a command of a broker to ${broker} with all that it started, and is the reason that is thrown`, async () => {
    const { glovebox, project } = await withProject(worlds[broker]);
    await using sandbox = await glovebox.open({ project });
    const abort = new AbortController();
    const reason = new Error("enough");
    const script = `(sleep 1000; touch survived) & until ${sleepers}; do :; done; wait`;
    const onOutput = ({ bytes }: OutputChunk): void => {
      if (Buffer.from(bytes).includes("cmdline")) abort.abort(reason);
    };
    await assert.rejects(sandbox.exec(["sh", "-c", script], { signal: abort.signal, onOutput }), reason);
    const { stdout } = await sandbox.exec(["sh", "-c", `${sleepers}; true`]);
    assert.equal(stdout.text, "");
    await assert.rejects(sandbox.exec(["touch", "never"], { signal: abort.signal }), reason);
    await assert.rejects(glovebox.open({ project, signal: abort.signal }), reason);
    await assert.rejects(glovebox.run(["touch", "never"], { project, signal: abort.signal }), reason);
    assert.deepEqual(await readdir(project), []);
  });

  test(`what a caller's own input or output throws ends a command of a broker to ${broker} and is what is thrown`, async () => {
    const { glovebox, project } = await withProject(worlds[broker]);
    await using sandbox = await glovebox.open({ project });
    const mine = new Error("mine");
    const refuse = (): never => {
      throw mine;
    };
    await assert.rejects(sandbox.exec(["sh", "-c", "echo out; sleep 1000"], { onOutput: refuse }), mine);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("some");
      refuse();
    }
    await assert.rejects(sandbox.exec(["sh", "-c", "cat; sleep 1000"], { stdin: broken() }), mine);
    assert.equal((await sandbox.exec(["echo", "still"])).stdout.text, "still\n");
  });

  test(`a caller that never takes the output of a broker to ${broker} holds the command, and the end of it only until it is aborted`, async () => {
    const { glovebox, project } = await withProject(worlds[broker]);
    await using sandbox = await glovebox.open({ project });
    const [abort, reason] = [new AbortController(), new Error("enough")];
    const taken = Promise.withResolvers<void>();
    const onOutput = (): Promise<void> => {
      taken.resolve();
      return new Promise<void>(() => {});
    };
    const held = sandbox.exec(["sh", "-c", "head -c 10000000 /dev/zero; touch over"], { signal: abort.signal, onOutput });
    await taken.promise;
    assert.equal((await sandbox.exec(["echo", "meanwhile"])).stdout.text, "meanwhile\n");
    abort.abort(reason);
    await assert.rejects(held, reason);
    assert.deepEqual(await readdir(project), []);
  });
}

test("more requests at once than one connection holds wait for their turn, and closing never waits for a command", async () => {
  const { glovebox, project } = await withProject(worlds.attach);
  const [one, two] = [await glovebox.open({ project }), await glovebox.open({ project })];
  const abort = new AbortController();
  const running = Array.from({ length: 100 }, (_, index) =>
    (index % 2 === 0 ? one : two).exec(["sleep", "1000"], { signal: abort.signal }),
  );
  const ends = Promise.allSettled(running);
  assert.equal((await glovebox.list()).length, 2);
  abort.abort(new Error("enough"));
  assert.ok((await ends).every(({ status }) => status === "rejected"));
  const short = await Promise.all(Array.from({ length: 100 }, (_, index) => two.exec(["echo", `${index}`])));
  assert.deepEqual(
    short.map(({ stdout }) => stdout.text),
    Array.from({ length: 100 }, (_, index) => `${index}\n`),
  );
  const lasting = Array.from({ length: 60 }, () => one.exec(["sleep", "1000"]).catch((error: unknown) => error));
  await Promise.all([one.close(), two.close()]);
  for (const end of await Promise.all(lasting)) assert.ok(end instanceof GloveboxError ? end.code === "SANDBOX_CLOSED" : end);
});

test("a broker that has left takes its sandboxes along and is followed by another; a closed Glovebox opens nothing", async (t) => {
  const { glovebox, project, stateHome } = await makeWorld(t, "attach");
  const lost = await glovebox.open({ project });
  await stopBroker(stateHome);
  await assert.rejects(lost.exec(["true"]), code("BROKER_UNAVAILABLE"));
  const next = await glovebox.open({ project });
  assert.equal((await next.exec(["echo", "again"])).stdout.text, "again\n");
  const other = new Glovebox({ broker: "hold", stateHome });
  await other.close();
  await assert.rejects(other.open({ project }), code("BROKER_UNAVAILABLE"));
});

test("a sandbox ends with the Glovebox that opened it, unless it is to outlive that", async () => {
  const { glovebox, project, stateHome } = await withProject(worlds.attach);
  const second = new Glovebox({ broker: "attach", stateHome });
  await second.open({ project });
  const { id } = await second.open({ project, outlives: true });
  await second.close();
  assert.deepEqual(
    (await glovebox.list()).map(({ sandbox }) => sandbox),
    [id],
  );
  await using outliving = await glovebox.use(id);
  assert.equal((await outliving.exec(["echo", "still"])).stdout.text, "still\n");
  await using holder = new Glovebox({ broker: "hold", stateHome });
  await assert.rejects(holder.open({ project, outlives: true }), code("USAGE_INVALID"));
});

test("more output than was asked for is counted and not kept", async () => {
  const { glovebox, project } = await withProject(worlds.attach);
  await using sandbox = await glovebox.open({ project });
  const { stdout, stderr } = await sandbox.exec(["sh", "-c", "printf 'a\\303\\251\\303\\251'; seq 100000 | tr -d '\\n'"], {
    maxOutputBytes: 4,
  });
  assert.deepEqual([stdout.text, stdout.bytes.length, stdout.isTruncated, stdout.totalBytes], ["a\u00E9", 4, true, 5 + 488_895]);
  assert.deepEqual([stderr.text, stderr.isTruncated, stderr.untrusted], ["", false, true]);
});

test("a detached server goes on: its output is kept, and its port is reached", async () => {
  const { glovebox, project } = await withProject(worlds.attach);
  await writeFile(path.join(project, "page"), "from inside");
  await using sandbox = await glovebox.open({ project });
  const { action } = await sandbox.detach(["python3", "-u", "-m", "http.server", "8123", "--bind", "127.0.0.1"]);
  const ready = await sandbox.attach(action);
  for await (const { bytes } of ready.output) if (Buffer.from(bytes).includes("8123")) break;
  const connection = await sandbox.connect(8123);
  await connection.send(Buffer.from("GET /page HTTP/1.0\r\n\r\n"));
  let answer = "";
  for await (const bytes of connection.received) answer += Buffer.from(bytes).toString();
  assert.match(answer, /\r\n\r\nfrom inside$/u);
  const forwarding = await sandbox.forward(8123);
  assert.equal(await (await fetch(`http://127.0.0.1:${forwarding.port}/page`)).text(), "from inside");
  await forwarding.close();
  await assert.rejects(fetch(`http://127.0.0.1:${forwarding.port}/page`));
  const [log] = await sandbox.logs(action);
  assert.match(Buffer.from(log?.bytes ?? []).toString(), /Serving HTTP/u);
  assert.equal(log?.state, "running");
  const left = await sandbox.forward(8123);
  assert.equal(await (await fetch(`http://127.0.0.1:${left.port}/page`)).text(), "from inside");
  await sandbox.close();
  await left.ended;
  await assert.rejects(fetch(`http://127.0.0.1:${left.port}/page`));
});
