// `glovebox mcp wrap`: a server of others behind the wall. It serves as it did, reads nothing outside, and ends with its wrapper. INVARIANT I-05, I-09
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type McpHouse, openMcpHouse, packagesDirectory, untilThere } from "../fixtures/mcp-house.ts";

let house: McpHouse;

before(async () => {
  house = await openMcpHouse();
});

after(() => house[Symbol.asyncDispose]());

const filesServer = path.join(packagesDirectory, "@modelcontextprotocol/server-filesystem/dist/index.js");

test("a wrapped server of others lists and reads as it does unwrapped, and what its policy does not show is not there", async (t) => {
  const outside = path.dirname(house.project);
  const secret = path.join(outside, "secret.txt");
  const own = path.join(house.project, "own.txt");
  await writeFile(secret, "canary-7731", { mode: 0o644 });
  await writeFile(own, "in the project");
  const read = async (client: Client, file: string): Promise<string> =>
    JSON.stringify(await client.callTool({ name: "read_text_file", arguments: { path: file } }).catch(String));

  const bare = new Client({ name: "test", version: "1" });
  t.after(() => bare.close());
  await bare.connect(new StdioClientTransport({ command: process.execPath, args: [filesServer, outside], env: {}, stderr: "ignore" }));
  assert.match(await read(bare, secret), /canary-7731/u);

  const server = [process.execPath, filesServer, outside];
  const { client } = await house.connect(t, "mcp", "wrap", "--allow-read", packagesDirectory, "--", ...server);
  assert.deepEqual(await client.listTools(), await bare.listTools());
  assert.match(await read(client, own), /in the project/u);
  assert.doesNotMatch(await read(client, secret), /canary/u);
});

test("bytes pass unchanged both ways, and the wrapper ends as the server does", async (t) => {
  const child = house.start(t, "mcp", "wrap", "--", "sh", "-c", "cat; exit 7");
  const sent = randomBytes(3 * 1024 * 1024);
  const digest = createHash("sha256");
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    digest.update(chunk);
  });
  child.stdin?.end(sent);
  assert.deepEqual(await once(child, "close"), [7, null]);
  assert.deepEqual([bytes, digest.digest("hex")], [sent.length, createHash("sha256").update(sent).digest("hex")]);
});

test("the server ends with its wrapper, however that ends", async (t) => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const seconds = `${30_000 + Math.random() * 10_000}`;
    const child = house.start(t, "mcp", "wrap", "--", "sh", "-c", `sleep ${seconds} & exec sleep ${seconds}`);
    await untilThere(seconds, 2);
    child.kill(signal);
    await once(child, "exit");
    await untilThere(seconds, 0);
  }
});
