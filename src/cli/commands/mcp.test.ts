// `glovebox mcp serve` and `glovebox mcp wrap`: what they hand on, and what they refuse.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { RunRequest } from "../../contracts/door.ts";
import type { McpListening, McpServers, McpServing } from "../../contracts/mcp-servers.ts";
import { fakeResult } from "../testing/fake-door.ts";
import { callCli } from "../testing/run-fake-cli.ts";

interface Asked {
  readonly serving: McpServing;
  readonly listening?: McpListening;
  readonly input?: string;
}

/** Remembers what it was asked for; over streams it answers what it was told in capitals. */
function serversFor(asked: Asked[]): McpServers {
  return {
    serveStreams: async (serving, { input, write }) => {
      let text = "";
      for await (const bytes of input) text += Buffer.from(bytes).toString();
      asked.push({ serving, input: text });
      await write(Buffer.from(text.toUpperCase()));
    },
    serveHttp: async (serving, listening) => {
      asked.push({ serving, listening });
      await listening.onListening("http://127.0.0.1:8123/mcp");
    },
  };
}

async function directoryOf(t: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "gb-mcp-"));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

test("mcp serve hands its streams on, with the policy of its flags and the bound of that policy", async () => {
  const asked: Asked[] = [];
  const call = await callCli(["mcp", "serve", "--preset", "node", "--wall", "90s"], { stdin: "hello", mcp: serversFor(asked) });
  assert.deepEqual([call.code, call.out(), call.err()], [0, "HELLO", ""]);
  const [{ serving } = {}] = asked;
  assert.deepEqual(serving?.opening.policy.overrides, { presets: ["node"], limits: { wall: "90s" } });
  assert.equal(serving?.returnedBytes, (await call.door.policy({ projectDirectory: "/" })).limits.returnedBytes);
});

test("mcp serve --http says where it listens and its new token, each time another", async () => {
  const asked: Asked[] = [];
  const call = await callCli(["mcp", "serve", "--http", "127.0.0.1:0", "--json"], { mcp: serversFor(asked) });
  const token = asked[0]?.listening?.token ?? "";
  assert.match(token, /^[0-9a-f]{64}$/u);
  assert.deepEqual(JSON.parse(call.out()), { url: "http://127.0.0.1:8123/mcp", token });
  await callCli(["mcp", "serve", "--http", "[::1]:8123"], { mcp: serversFor(asked) });
  assert.deepEqual([asked[1]?.listening?.address, asked[1]?.listening?.port], ["::1", 8123]);
  assert.notEqual(asked[1]?.listening?.token, token);
});

test("mcp serve refuses to listen where others could come from", async () => {
  for (const place of ["0.0.0.0:1", "8123", "localhost:1", "192.168.1.2:1", "127.0.0.1", "127.0.0.1:65536", "[::]:1", "127.0.0.2:1", ""]) {
    const call = await callCli(["mcp", "serve", `--http=${place}`]);
    assert.equal(call.code, 2, place);
  }
  assert.equal((await callCli(["mcp", "serve", "--token-file", "x"])).code, 2);
});

test("mcp serve --token-file makes a file that only its user may read, keeps its token, and does not print it", async (t) => {
  const file = path.join(await directoryOf(t), "token");
  const asked: Asked[] = [];
  for (const _ of ["new", "kept"]) {
    const call = await callCli(["mcp", "serve", "--http", "127.0.0.1:0", "--token-file", file], { mcp: serversFor(asked) });
    assert.equal(call.code, 0);
    const token = (await readFile(file, "utf8")).trim();
    assert.equal(asked.at(-1)?.listening?.token, token);
    assert.ok(!call.out().includes(token) && call.out().includes(file));
  }
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(asked[0]?.listening?.token, asked[1]?.listening?.token);
});

test("mcp serve --token-file refuses a file that others may read, a link, a short token and a directory", async (t) => {
  const directory = await directoryOf(t);
  const file = path.join(directory, "token");
  const serve = async (name: string): Promise<string> => {
    const call = await callCli(["mcp", "serve", "--http", "127.0.0.1:0", "--token-file", name], { mcp: serversFor([]) });
    assert.equal(call.code, 2, name);
    return call.err();
  };
  await writeFile(file, `${"a".repeat(64)}\n`, { mode: 0o600 });
  await chmod(file, 0o640);
  assert.match(await serve(file), /only you may read/u);
  await symlink(file, path.join(directory, "link"));
  assert.match(await serve(path.join(directory, "link")), /ELOOP/u);
  assert.match(await serve(directory), /no regular file/u);
  assert.match(await serve(path.join(directory, "none", "token")), /ENOENT/u);
  await chmod(file, 0o600);
  await writeFile(file, "short\n");
  assert.match(await serve(file), /32/u);
});

test("mcp wrap runs the server as a command without a person to ask, with time enough where the policy says nothing", async () => {
  const requests: RunRequest[] = [];
  const run = async (request: RunRequest, io: { readonly ask?: unknown; onOutput: unknown }) => {
    assert.equal(io.ask, undefined);
    requests.push(request);
    return fakeResult();
  };
  const call = await callCli(["mcp", "wrap", "--cpu-time", "5m", "--", "server", "--stdio"], { door: { run } });
  assert.deepEqual([call.code, call.out(), call.err()], [0, "", ""]);
  assert.deepEqual(requests[0]?.argv, ["server", "--stdio"]);
  assert.deepEqual(requests[0]?.policy.overrides, { limits: { cpuTime: "24h", wall: "24h", output: "1TiB" } });
});

test("mcp wrap leaves the limits alone that a policy names", async () => {
  const requests: RunRequest[] = [];
  const run = async (request: RunRequest) => {
    requests.push(request);
    return fakeResult();
  };
  const { door } = await callCli(["doctor"]);
  const given = await door.policy({ projectDirectory: "/" });
  const policy = async () => ({
    ...given,
    valueOrigins: new Map([
      ["limits.wall", "user"],
      ["limits.output", "flags"],
      ["limits.cpuTime", "built-in"],
    ] as const),
  });
  await callCli(["mcp", "wrap", "--output-limit", "1MiB", "--", "server"], { door: { run, policy } });
  assert.deepEqual(requests[0]?.policy.overrides, { limits: { output: "1MiB", cpuTime: "24h" } });
});
