// The command line of the official inspector at `glovebox mcp serve`, as people try a server.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { type McpHouse, openMcpHouse, packagesDirectory, record, serveMcpHttp } from "../fixtures/mcp-house.ts";

const inspector = path.join(packagesDirectory, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");

async function inspect(house: McpHouse, ...words: readonly string[]) {
  const environment = { ...house.environment, HOME: path.dirname(house.project) };
  const { code, stdout, stderr } = await capture(process.execPath, [inspector, "--cli", ...words], {
    environment,
    cwd: house.project,
    timeoutMs: 60_000,
  });
  assert.equal(code, 0, stderr);
  return record(JSON.parse(stdout));
}

function textOfAnswer({ content }: Readonly<Record<string, unknown>>): string {
  assert.ok(Array.isArray(content));
  return String(record(content[0])["text"]);
}

const code = ["--method", "tools/call", "--tool-name", "run_code", "--tool-arg", "language=bash", "--tool-arg", "code=echo $((6*7))"];

test("the inspector lists the tools and calls one over streams", async (t) => {
  const house = await openMcpHouse(t);
  const { command, args } = house.command("mcp", "serve");
  const { tools } = await inspect(house, command, ...args, "--method", "tools/list");
  assert.ok(Array.isArray(tools));
  assert.equal(tools.length, 7);
  assert.match(textOfAnswer(await inspect(house, command, ...args, ...code)), /"text":"42\\n"/u);
});

test("the inspector calls a tool over HTTP with the token", async (t) => {
  const house = await openMcpHouse(t);
  const { url, token } = await serveMcpHttp(house);
  const at = [url.href, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  assert.match(textOfAnswer(await inspect(house, ...at, ...code)), /"text":"42\\n"/u);
});
