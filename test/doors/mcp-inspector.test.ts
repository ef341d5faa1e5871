// The command line of the official inspector at `glovebox mcp serve`, as people try a server.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { type McpHouse, openMcpHouse, packagesDirectory, record, serveMcpHttp } from "../fixtures/mcp-house.ts";

let house: McpHouse;

before(async () => {
  house = await openMcpHouse();
});

after(() => house[Symbol.asyncDispose]());

const inspector = path.join(packagesDirectory, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");

async function inspect(...words: readonly string[]) {
  const environment = { ...house.environment, HOME: path.dirname(house.project) };
  const { code, stdout, stderr } = await capture(process.execPath, [inspector, "--cli", ...words], {
    environment,
    cwd: house.project,
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  return record(JSON.parse(stdout));
}

function textOfAnswer({ content }: Readonly<Record<string, unknown>>): string {
  assert.ok(Array.isArray(content));
  return String(record(content[0])["text"]);
}

const code = ["--method", "tools/call", "--tool-name", "run_code", "--tool-arg", "language=bash", "--tool-arg", "code=echo $((6*7))"];

test("the inspector calls a tool over streams", async () => {
  const { command, args } = house.command("mcp", "serve");
  // It hands nothing on but what it is told to.
  const state = ["-e", `XDG_STATE_HOME=${house.environment["XDG_STATE_HOME"] ?? ""}`];
  assert.match(textOfAnswer(await inspect(...state, command, ...args, ...code)), /"text":"42\\n"/u);
});

test("the inspector lists the tools over HTTP with the token", async (t) => {
  const { url, token } = await serveMcpHttp(t, house);
  const at = [url.href, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const { tools } = await inspect(...at, "--method", "tools/list");
  assert.ok(Array.isArray(tools));
  assert.equal(tools.length, 7);
});
