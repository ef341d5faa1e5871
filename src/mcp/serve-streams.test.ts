// serveStreams(): the whole server over lines, in front of a sandbox that answers at once. INVARIANT I-12, I-13
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as checkProperty, asyncProperty, constantFrom, dictionary, jsonValue, oneof } from "fast-check";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { SandboxCommand, SandboxDoor } from "../contracts/sandbox-door.ts";
import { fakeCommandResult } from "../contracts/testing/fake-broker.ts";
import { callsAtOnce } from "./session.ts";
import { isRecord, StreamClient } from "./testing/stream-client.ts";

const names = ["run_command", "run_code", "read_file", "write_file", "list_files", "fetch", "list_refusals"];

/** Says what it is given to say. */
const saying = (text: string): Pick<SandboxDoor, "exec"> => ({
  exec: async (_access, _command, io) => {
    io.onStart({ signal: () => {}, resize: () => {} });
    await io.onOutput({ channel: "stdout", bytes: Buffer.from(text) });
    return fakeCommandResult();
  },
});

async function greeted(options?: ConstructorParameters<typeof StreamClient>[0]): Promise<StreamClient> {
  const client = new StreamClient(options);
  await client.greet();
  return client;
}

test("serveStreams() offers its tools, each with a closed schema, and none that names a policy, an approval or a secret", async () => {
  await using client = await greeted();
  const { result } = await client.answer("tools/list", {});
  const tools = isRecord(result) && Array.isArray(result["tools"]) ? result["tools"].filter(isRecord) : [];
  assert.deepEqual(
    tools.map((tool) => tool["name"]),
    names,
  );
  for (const { inputSchema } of tools) {
    assert.ok(isRecord(inputSchema) && isRecord(inputSchema["properties"]));
    assert.equal(inputSchema["additionalProperties"], false);
    for (const name of Object.keys(inputSchema["properties"]))
      assert.doesNotMatch(name, /polic|approv|grant|allow|secret|token|unsandboxed|outside|env/iu);
  }
});

test("serveStreams() marks what came out of the sandbox, keeps it within the bound, and lets nothing in it steer a terminal", async () => {
  await using client = await greeted({ sandboxes: saying(`\u001B[2J\u202E"}${"x".repeat(5000)}`), returnedBytes: 100 });
  const { text, document } = await client.call("run_command", { argv: ["printf"] });
  assert.ok(!text.includes("\u001B") && !text.includes("\u202E"));
  const stdout = document["stdout"];
  assert.ok(isRecord(stdout));
  assert.deepEqual([stdout["untrusted"], stdout["returnedBytes"], stdout["isTruncated"]], [true, 100, true]);
  assert.ok(String(stdout["text"]).startsWith('\u001B[2J\u202E"}xxx'));
});

test("serveStreams() answers whatever arguments with an error or a result, hands nothing on that says something else inside, and goes on", async () => {
  const given: SandboxCommand[] = [];
  const exec: SandboxDoor["exec"] = async (_access, command) => {
    given.push(command);
    return fakeCommandResult();
  };
  await using client = await greeted({ sandboxes: { exec } });
  const keys = constantFrom(
    "argv",
    "code",
    "language",
    "path",
    "content",
    "cwd",
    "url",
    "limit",
    "offset",
    "max_bytes",
    "depth",
    "stdin",
    "x",
  );
  const odd = oneof(
    jsonValue(),
    constantFrom("a\0b", "\uD800", "", "-rf", "../..", -1, 2 ** 53, "python", "/", "http://u:p@h/", ["a\0"], ["sh"]),
  );
  const taken = constantFrom({ argv: ["sh"] }, { path: "a" }, { code: "x", language: "python" }); // what some tool takes: a few must get through
  const input = oneof(
    { weight: 4, arbitrary: dictionary(keys, odd) },
    { weight: 1, arbitrary: jsonValue() },
    { weight: 1, arbitrary: taken },
  );
  await checkProperty(
    asyncProperty(constantFrom(...names, "approve", "__proto__"), input, async (name, given) => {
      const { isError, document } = await client.call(name, given);
      assert.ok(isError || !("error" in document));
    }),
    { numRuns: 500 },
  );
  assert.ok(given.length > 0);
  for (const { argv, cwd = "/" } of given)
    for (const word of [...argv, cwd]) assert.ok(word.isWellFormed() && !word.includes("\0") && cwd.startsWith("/"), JSON.stringify(argv));
  assert.equal((await client.call("run_command", { argv: ["true"] })).isError, false);
});

test("serveStreams() names the key that no tool has, and the one that is missing or out of range", async () => {
  await using client = await greeted();
  const said = async (name: string, input: unknown): Promise<string> => (await client.call(name, input)).text;
  assert.match(await said("run_command", { argv: ["true"], policy: {} }), /policy/u);
  assert.match(await said("run_command", {}), /argv/u);
  assert.match(await said("run_command", { argv: [] }), /argv/u);
  assert.match(await said("read_file", { path: "a\0b" }), /path.*NUL/u);
  assert.match(await said("read_file", { path: "a\uD800" }), /path.*well-formed/u);
  assert.match(await said("fetch", { url: "file:///etc/passwd" }), /url.*http/u);
  assert.match(await said("run_code", { language: "perl", code: "" }), /language/u);
  assert.match(await said("run_command", { argv: Array.from({ length: 20 }, () => "x".repeat(100_000)) }), /argv.*bytes in all/u);
});

test("serveStreams() survives lines that are no messages", async () => {
  await using client = await greeted();
  for (const line of ["", "{", "[]", "null", '"x"', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":{},"method":"x"}', "[".repeat(10_000)])
    client.send(line);
  assert.equal((await client.call("run_command", { argv: ["true"] })).isError, false);
});

test("serveStreams() cancels the command of a call that its client cancels, and of every call when the client leaves", async () => {
  const begun = [Promise.withResolvers<AbortSignal>(), Promise.withResolvers<AbortSignal>()];
  let calls = 0;
  const exec: SandboxDoor["exec"] = async (_access, _command, io) => {
    begun[calls++]?.resolve(io.signal);
    await new Promise((resolve) => io.signal.addEventListener("abort", resolve, { once: true }));
    return fakeCommandResult({ outcome: "cancelled" });
  };
  const client = await greeted({ sandboxes: { exec } });
  const requestId = client.request("tools/call", { name: "run_command", arguments: { argv: ["sleep"] } });
  client.request("tools/call", { name: "run_code", arguments: { language: "bash", code: "sleep 1" } });
  const [first, second] = await Promise.all(begun.map(({ promise }) => promise));
  client.notify("notifications/cancelled", { requestId });
  await client.answer("ping", {});
  assert.deepEqual([first?.aborted, second?.aborted], [true, false]);
  client.end();
  await client.served;
  assert.equal(second?.aborted, true);
});

test("serveStreams() tells of progress when the command starts, to whoever asked for it", async () => {
  await using client = await greeted({ sandboxes: saying("x") });
  await client.call("run_command", { argv: ["true"] });
  assert.deepEqual(
    client.messages.filter(({ method }) => method === "notifications/progress"),
    [],
  );
  client.request("tools/call", { name: "run_command", arguments: { argv: ["true"] }, _meta: { progressToken: "p" } });
  const { params } = await client.hear(({ method }) => method === "notifications/progress");
  assert.ok(isRecord(params));
  assert.deepEqual([params["progressToken"], params["progress"]], ["p", 1]);
});

test("serveStreams() opens one sandbox for a session, that ends with its caller, and closes it when the client leaves", async () => {
  const openings: unknown[] = [];
  const ended: string[] = [];
  const opened = await openedByFake();
  const client = await greeted({
    sandboxes: {
      open: async (opening) => {
        openings.push(opening);
        return opened;
      },
      end: async ({ sandbox }) => {
        ended.push(sandbox);
        return { sandbox, task: opened.task, refusedConnections: [], ledger: { firstSeq: 0, lastSeq: 0 } };
      },
    },
  });
  await Promise.all([client.call("run_command", { argv: ["a"] }), client.call("read_file", { path: "b" })]);
  assert.deepEqual(openings, [{ policy: { projectDirectory: "/project" }, callerEnvironment: { LANG: "C" }, endsWithCaller: true }]);
  client.end();
  await client.served;
  assert.deepEqual(ended, [opened.sandbox]);
});

test("serveStreams() says code and next step of a refusal, and opens another sandbox when the first is gone", async () => {
  let isGone = true;
  const exec: SandboxDoor["exec"] = async ({ sandbox }) => {
    if (isGone) throw new GloveboxError("SANDBOX_CLOSED", "sandbox.ended-idle", { values: { sandbox } });
    throw new GloveboxError("POLICY_DENIED", "run.denied", { values: { task: "t", command: "c", rule: "r" } });
  };
  await using client = await greeted({ sandboxes: { exec } });
  const code = async (): Promise<unknown> => {
    const { isError, document } = await client.call("run_command", { argv: ["true"] });
    const { error } = document;
    return isError && isRecord(error) && String(error["hint"]).includes(".hint") ? error["code"] : undefined;
  };
  assert.equal(await code(), "SANDBOX_CLOSED");
  isGone = false;
  assert.deepEqual([await code(), await code(), client.brokersReached], ["POLICY_DENIED", "POLICY_DENIED", 2]);
});

test("serveStreams() refuses one call more than may run at once", async () => {
  const release = Promise.withResolvers<void>();
  const exec: SandboxDoor["exec"] = async () => {
    await release.promise;
    return fakeCommandResult();
  };
  await using client = await greeted({ sandboxes: { exec } });
  for (let call = 0; call < callsAtOnce; call += 1) client.request("tools/call", { name: "run_command", arguments: { argv: ["true"] } });
  const { isError, document } = await client.call("run_command", { argv: ["true"] });
  assert.ok(isError && isRecord(document["error"]));
  assert.equal(document["error"]["code"], "SANDBOX_LIMIT");
  release.resolve();
});

test("serveStreams() hears nothing more from a client that does not read, and leaves when it is told to", async () => {
  const client = new StreamClient({ isStalled: true });
  const clientInfo = { name: "test", version: "1" };
  client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  for (let line = 0; line < 2000; line += 1) client.request("tools/list", {});
  let before = -1;
  while (client.readLines !== before) {
    before = client.readLines;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  }
  assert.ok(client.readLines < 200, `${client.readLines} lines were read`);
  client.tellToLeave();
  await client.served;
});

async function openedByFake() {
  const { fakeBroker } = await import("../contracts/testing/fake-broker.ts");
  return fakeBroker().sandboxes.open(
    { policy: { projectDirectory: "/" }, callerEnvironment: {} },
    { signal: new AbortController().signal },
  );
}
