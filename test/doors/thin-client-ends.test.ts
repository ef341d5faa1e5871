// How a command of the thin client ends, or stops, from outside: signals, a terminal, a reader that does not read, and either side killed. INVARIANT I-03, I-09
import assert from "node:assert/strict";
import { constants, open, readFile } from "node:fs/promises";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxAccess } from "../../src/contracts/sandbox-door.ts";
import { capture } from "../../src/kit/spawn.ts";
import { atTerminal } from "../fixtures/at-terminal.ts";
import { serveBroker, shell } from "../fixtures/served-broker.ts";
import { type ClientPlace, clientProgram, makeOtherwise, type StartedClient, startClient } from "../fixtures/thin-client.ts";

interface Place extends ClientPlace {
  readonly access: SandboxAccess & { readonly task: string };
  start(script: string): StartedClient;
}

async function openPlace(t: TestContext, overrides: Parameters<typeof serveBroker>[1] = {}): Promise<Place> {
  const served = await serveBroker(t, overrides);
  const access = await served.open();
  const place = { t, served, otherwise: await makeOtherwise(served.state) };
  const start = (script: string) => startClient(place, ["sandbox", "exec", access.sandbox, "--", "sh", "-c", script]);
  return { ...place, access, start };
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadline, what);
    await delay(20);
  }
}

async function isIdle({ served }: Place): Promise<boolean> {
  const lines = await served.broker.sandboxes.list();
  return lines.every(({ commands }) => commands.every(({ state }) => state === "ended"));
}

async function outcomes({ served, access }: Place): Promise<readonly unknown[]> {
  const records = await served.door.records({ task: access.task, limit: 50 });
  return records.flatMap(({ type, body }) => (type === "result.returned" ? [body["outcome"]] : []));
}

test("the first signal of each kind goes to the command, and the next of that kind ends it", async (t) => {
  const place = await openPlace(t);
  const trapping = place.start("trap 'echo int' INT; trap 'echo term; exit 9' TERM; echo ready; while :; do sleep 0.05; done");
  await trapping.heard("ready");
  trapping.child.kill("SIGINT");
  await trapping.heard("int");
  trapping.child.kill("SIGTERM");
  const ended = await trapping.ended;
  assert.deepEqual([ended.code, ended.stdout.toString()], [9, "ready\nint\nterm\n"]);
  const deaf = place.start("trap '' INT; echo ready; while :; do sleep 0.05; done");
  await deaf.heard("ready");
  deaf.child.kill("SIGINT");
  // Two signals of one kind that nobody has read yet are one: the second waits for the first to be taken.
  await until("the signal was not taken", async () => !/^ShdPnd:\t0*2$/mu.test(await readFile(`/proc/${deaf.pid}/status`, "utf8")));
  deaf.child.kill("SIGINT");
  assert.match((await deaf.ended).stderr, /ended with everything it started/u);
  assert.deepEqual(await outcomes(place), ["cancelled", "failed"]);
});

test("a stop of the thin client stops its command, and both go on together", async (t) => {
  const place = await openPlace(t);
  const counting = place.start("echo ready; i=0; while :; do i=$((i + 1)); echo $i > count; sleep 0.02; done");
  const count = (): Promise<string> => readFile(`${place.served.project}/count`, "utf8");
  await counting.heard("ready");
  await until("it does not count", async () => (await count().catch(() => "")) !== "");
  counting.child.kill("SIGTSTP");
  await until("it was not stopped", async () => /^State:\tT/mu.test(await readFile(`/proc/${counting.pid}/status`, "utf8")));
  await until("its command was not stopped", async () => {
    const before = await count();
    await shell(place.served, place.access, "sleep 0.3");
    return before === (await count());
  });
  const stopped = await count();
  counting.child.kill("SIGCONT");
  await until("it did not go on", async () => (await count()) !== stopped);
  counting.child.kill("SIGTERM");
  assert.equal((await counting.ended).code, 128 + 15);
});

/** A pipe that is open for reading, and a client whose standard output, or error too, is its other end. */
async function startUnread(place: Place, command: readonly string[], redirection: ">" | "&>" = ">") {
  const pipe = path.join(place.served.project, "pipe");
  assert.equal((await capture("/usr/bin/mkfifo", [pipe])).code, 0);
  const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  place.t.after(() => reader.close().catch(() => {})); // closed already when all goes well
  const words = ["sandbox", "exec", place.access.sandbox, "--", ...command];
  const to = `exec "$@" > '${pipe}'${redirection === ">" ? "" : " 2>&1"}`;
  const client = startClient(place, words, { program: ["/bin/sh", "-c", to, "sh", clientProgram, place.otherwise] });
  const written = async (): Promise<number> =>
    Number((await readFile(`/proc/${client.pid}/io`, "utf8")).match(/^wchar: (\d+)$/mu)?.[1] ?? "0");
  return { client, reader, pipe, written };
}

test("a reader that never reads holds up its own command alone, in bounded memory, and ends it by going away", async (t) => {
  const place = await openPlace(t);
  const { client: unread, reader, written } = await startUnread(place, ["yes"]);
  await until("nothing came", async () => (await written()) > 60_000);
  await until("it goes on", async () => {
    const before = await written();
    await shell(place.served, place.access, "sleep 0.2"); // meanwhile another is served
    return before === (await written());
  });
  const resident = Number(/^VmRSS:\s+(\d+) kB$/mu.exec(await readFile(`/proc/${unread.pid}/status`, "utf8"))?.[1]);
  assert.ok(resident > 0 && resident < 3072, `${resident} KiB`);
  await reader.close();
  assert.equal((await unread.ended).code, 141);
  assert.deepEqual((await outcomes(place)).includes("cancelled"), true);
});

test("a client whose broker is killed ends although nobody reads where it would say so", async (t) => {
  const place = await openPlace(t);
  const { client, reader, written } = await startUnread(place, ["yes"], "&>");
  await until("nothing came", async () => (await written()) > 60_000);
  process.kill(await place.served.pid(), "SIGKILL");
  assert.deepEqual(await Promise.race([client.ended, delay(60_000, "waits")]), {
    code: 125,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: "",
  });
  await reader.close();
});

test("whoever waits for a person's approval is told where it is given, and may give up", async (t) => {
  const place = await openPlace(t, { approval: "regular" });
  const asking = place.start("true");
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  let said = "";
  asking.child.stderr?.on("data", (bytes: Buffer) => {
    said += bytes.toString();
    if (said.endsWith("\n")) resolve(said);
  });
  const id = /^Waiting for a person at another terminal: glovebox approval approve (q-[-0-9a-f]+)\n$/u.exec(await asked)?.[1];
  const { questions } = await place.served.broker.approvals.list({ signal: AbortSignal.timeout(120_000) });
  assert.deepEqual([questions.length, questions[0]?.id], [1, id]);
  asking.child.kill("SIGINT");
  const { code, stderr } = await asking.ended;
  assert.equal(code, 121);
  assert.match(stderr, /code: APPROVAL_WITHDRAWN/u);
});

test("a thin client that is killed takes its command with it", async (t) => {
  const place = await openPlace(t);
  const killed = place.start("echo ready; exec sleep 1000");
  await killed.heard("ready");
  killed.child.kill("SIGKILL");
  assert.equal((await killed.ended).signal, "SIGKILL");
  await until("its command went on", () => isIdle(place));
  assert.deepEqual(await outcomes(place), ["cancelled"]);
});

test("a broker that is killed under a command leaves a clear word and code 125", async (t) => {
  const place = await openPlace(t);
  const left = place.start("echo ready; exec sleep 1000");
  await left.heard("ready");
  process.kill(await place.served.pid(), "SIGKILL");
  const { code, stdout, stderr } = await left.ended;
  assert.deepEqual([code, stdout.toString()], [125, "ready\n"]);
  await until("its door is open", async () => (await place.served.door.findBroker().catch(() => "dying")) === undefined);
  assert.match(stderr, /^glovebox: Cannot reach the broker any more.*\n {2}code: BROKER_UNAVAILABLE\n {2}next: See .*\n$/u);
});

/** A shell line: the command at a terminal of this size, and whether the terminal's settings are the same afterwards. */
const compared = (command: string): string =>
  `stty rows 31 cols 97; stty -g > before; ${command}; stty -g > after; cmp before after && echo same settings`;

test("at a terminal the command has one of its own, and ours is as before when it is ended", async (t) => {
  const { served, access, otherwise } = await openPlace(t);
  const script = `trap "echo got" INT; stty size; stty -echo; echo ready; while :; do sleep 0.05; done`;
  const client = `'${clientProgram}' '${otherwise}' sandbox exec ${access.sandbox} -- sh -c '${script}'`;
  const typings = [
    { after: "ready", keys: "\u0003" },
    { after: "got", keys: "\u001D\u001D\u001D" },
  ];
  const { seen } = await atTerminal(`cd '${served.project}'; ${compared(client)}`, { environment: served.environment, typings });
  assert.match(seen, /31 97\r\n[^]*got\r\n[^]*ended with everything it started[^]*same settings\r\n$/u);
});

test("at a terminal a signal that ends the thin client itself leaves ours as it was", async (t) => {
  const { served, access, otherwise } = await openPlace(t);
  const ender = "(until test -e up; do sleep 0.05; done; stty -g < /dev/tty > lent; kill -QUIT $(cat pid)) &";
  const client = `'${clientProgram}' '${otherwise}' sandbox exec ${access.sandbox} -- sh -c 'touch up; exec sleep 1000'`;
  const line = `ulimit -c 0; ${ender} sh -c 'echo $$ > pid; exec "$@"' sh ${client}`;
  const { seen } = await atTerminal(`cd '${served.project}'; ${compared(line)}; cmp -s before lent || echo it was lent`, {
    environment: served.environment,
  });
  assert.match(seen, /same settings\r\nit was lent\r\n$/u);
});
