// HttpSessions: how many there may be, and when they end. INVARIANT I-10
import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpServing } from "../contracts/mcp-servers.ts";
import { fakeBroker, fakeSandbox } from "../contracts/testing/fake-broker.ts";
import { HttpSessions, sessionsAtOnce } from "./http-sessions.ts";

function servingWith(ended: string[]): McpServing {
  const { sandboxes } = fakeBroker();
  const end: typeof sandboxes.end = async (access) => {
    ended.push(access.sandbox);
    return sandboxes.end(access);
  };
  return {
    door: { reachBroker: async () => fakeBroker({ end }), records: async () => [] },
    opening: { policy: { projectDirectory: "/project" }, callerEnvironment: {} },
    returnedBytes: 1000,
    say: ({ key }) => key,
    signal: new AbortController().signal,
  };
}

function post(method: string, params: object, session: Readonly<Record<string, string>> = {}): Request {
  return new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...session },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function begin(sessions: HttpSessions): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const response = await sessions.answer(undefined, post("initialize", params));
  await response.text();
  return response.headers.get("mcp-session-id") ?? `status ${response.status}`;
}

const runCommand = { name: "run_command", arguments: { argv: ["true"] } };
const call = (sessions: HttpSessions, id: string): Promise<Response> =>
  sessions.answer(id, post("tools/call", runCommand, { "mcp-session-id": id }));

test("HttpSessions begins so many sessions and no more, also when all begin at once, and keeps none of what is no beginning", async () => {
  const sessions = new HttpSessions(servingWith([]));
  for (let request = 0; request < 2 * sessionsAtOnce; request += 1)
    assert.equal((await sessions.answer(undefined, post("tools/list", {}))).status, 400);
  const begun = await Promise.all(Array.from({ length: sessionsAtOnce + 3 }, () => begin(sessions)));
  assert.deepEqual(
    begun.filter((id) => id.startsWith("status")),
    ["status 429", "status 429", "status 429"],
  );
  assert.equal(new Set(begun).size, sessionsAtOnce + 1);
  await sessions.close();
  assert.equal((await call(sessions, begun[0] ?? "")).status, 404);
});

test("HttpSessions ends a session that nobody uses for half an hour, with its sandbox, and none that is in use", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ended: string[] = [];
  const sessions = new HttpSessions(servingWith(ended));
  const id = await begin(sessions);
  const release = sessions.use(id);
  assert.equal((await (await call(sessions, id)).text()).includes("outcome"), true);
  t.mock.timers.tick(31 * 60_000);
  assert.equal((await call(sessions, id)).status, 200);
  release();
  t.mock.timers.tick(29 * 60_000);
  sessions.use(id)();
  t.mock.timers.tick(29 * 60_000);
  assert.deepEqual([(await call(sessions, id)).status, ended], [200, []]);
  t.mock.timers.tick(1 * 60_000);
  assert.equal((await call(sessions, id)).status, 404);
  await sessions.close();
  assert.deepEqual(ended, [fakeSandbox]);
});
