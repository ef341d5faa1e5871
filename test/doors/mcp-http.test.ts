// `glovebox mcp serve --http`: official clients of both kinds, strangers, and the end of sessions. INVARIANT I-09, I-12, I-16
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, test } from "node:test";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { call, cancelOnceThere, type McpHouse, openMcpHouse, serveMcpHttp, textOf, untilThere } from "../fixtures/mcp-house.ts";

let house: McpHouse;

before(async () => {
  house = await openMcpHouse();
});

after(() => house[Symbol.asyncDispose]());

/** Nobody else sleeps as long. */
const oddSeconds = (): string => `${20_000 + Math.random() * 10_000}`;

/** The status of a request that is none of a client's. */
async function statusOf(url: URL, headers: Readonly<Record<string, string>>, method = "POST"): Promise<number | undefined> {
  const asked = request(url, { method, headers: { "content-type": "application/json", ...headers } });
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  asked.on("error", reject);
  asked.on("response", (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  asked.end(method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }) : undefined);
  return promise;
}

for (const mode of [undefined, "auto"] as const)
  test(`a client ${mode === undefined ? "with" : "without"} sessions calls, hears of progress and cancels over HTTP`, async (t) => {
    const server = await serveMcpHttp(t, house);
    const client = await server.connect(mode);
    const heard: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => void heard.push(progress);
    const said = await call(client, "run_command", { argv: ["echo", "there"] }, { onprogress });
    assert.deepEqual([textOf(said.document["stdout"]), heard[0]], ["there\n", 1]);
    const seconds = oddSeconds();
    await cancelOnceThere(client, ["sleep", seconds], { word: seconds, count: 1 });
    await client.close();
  });

test("each session of HTTP has a sandbox of its own, which ends when its client ends the session or the server leaves", async (t) => {
  const server = await serveMcpHttp(t, house);
  const [one, other] = [await server.connect(), await server.connect()];
  const seconds = oddSeconds();
  const started = await call(one, "run_command", { argv: ["sh", "-c", `sleep ${seconds} >/dev/null 2>&1 & echo here > $HOME/mine`] });
  const looked = await call(other, "run_command", { argv: ["sh", "-c", "cat $HOME/mine; ps ax"] });
  assert.ok(!textOf(looked.document["stdout"]).includes("here") && !textOf(looked.document["stdout"]).includes(seconds));
  assert.notEqual(started.document["sandbox"], looked.document["sandbox"]);
  await untilThere(seconds, 1);
  const { transport } = one;
  assert.ok(transport instanceof StreamableHTTPClientTransport);
  await transport.terminateSession();
  await untilThere(seconds, 0);
  await call(other, "run_command", { argv: ["sh", "-c", `sleep ${seconds} >/dev/null 2>&1 & echo up`] });
  await untilThere(seconds, 1);
  server.child.kill("SIGTERM");
  assert.deepEqual(await once(server.child, "exit"), [0, null]);
  await untilThere(seconds, 0);
  assert.deepEqual(await (await house.door.findBroker())?.sandboxes.list(), []);
});

test("a server that is killed leaves no process, sandbox, task or listener", async (t) => {
  const server = await serveMcpHttp(t, house);
  const [one, other] = [await server.connect(), await server.connect("auto")];
  const seconds = oddSeconds();
  for (const client of [one, other])
    await call(client, "run_command", { argv: ["sh", "-c", `sleep ${seconds} >/dev/null 2>&1 & echo up`] });
  await untilThere(seconds, 2);
  server.child.kill("SIGKILL");
  assert.deepEqual(await once(server.child, "exit"), [null, "SIGKILL"]);
  await untilThere(seconds, 0);
  const tasks = path.join(house.environment["XDG_STATE_HOME"] ?? "", "glovebox/tasks");
  const broker = await house.door.findBroker();
  assert.ok(broker !== undefined);
  const left = async (): Promise<readonly unknown[]> => [...(await broker.sandboxes.list()), ...(await readdir(tasks))];
  const deadline = Date.now() + 30_000; // its caller is gone: nobody is told when the last record is written
  for (let found = await left(); found.length > 0; found = await left()) {
    assert.ok(Date.now() < deadline, JSON.stringify(found));
    await delay(20);
  }
  await broker[Symbol.asyncDispose]();
  await assert.rejects(statusOf(server.url, {}), { code: "ECONNREFUSED" });
});

test("a stranger without the token, a web page and another name are refused before anything is read", async (t) => {
  const { url, token } = await serveMcpHttp(t, house);
  const authorization = `Bearer ${token}`;
  assert.notEqual(await statusOf(url, { authorization, accept: "application/json, text/event-stream" }), 401);
  assert.equal(await statusOf(url, {}), 401);
  assert.equal(await statusOf(url, { authorization: `Bearer ${"0".repeat(64)}` }), 401);
  assert.equal(await statusOf(url, { authorization, origin: "https://attacker.example" }), 403);
  assert.equal(await statusOf(url, { authorization, host: "attacker.example" }), 403);
  assert.equal(await statusOf(url, { origin: "https://attacker.example", "access-control-request-method": "POST" }, "OPTIONS"), 403);
  assert.equal(await statusOf(new URL("/other", url), { authorization }), 404);
  assert.equal(await statusOf(url, { authorization, "mcp-session-id": "another" }), 404);
});

test("bodies that are no messages get errors of the protocol, and the server goes on", async (t) => {
  const server = await serveMcpHttp(t, house);
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (body: string): Promise<number> => (await fetch(server.url, { method: "POST", headers, body })).status;
  for (const body of ["", "{", "[]", "null", "[".repeat(5000), '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}']) {
    const status = await post(body);
    assert.ok(status >= 200 && status < 500, `${status} for ${body.slice(0, 30)}`);
  }
  const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: { long: "x".repeat(5 * 1024 * 1024) } });
  // The server answers and closes before it has read it all: a client that is still sending may see only the end of the connection.
  const refused = await post(long).catch((error: unknown) => String(error));
  assert.ok(refused === 413 || refused === "TypeError: fetch failed", String(refused));
  const client = await server.connect();
  assert.equal((await call(client, "run_command", { argv: ["true"] })).isError, false);
  await client.close();
});
