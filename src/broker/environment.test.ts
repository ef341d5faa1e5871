// What a command's environment says about the network that it has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPolicy } from "../policy/policy.ts";
import { buildEnvironment, type EnvironmentParts } from "./environment.ts";

function environmentOf(text: string, more: Partial<EnvironmentParts> = {}): Record<string, string> {
  const source = { origin: "user", label: "x", format: "yaml", text: `apiVersion: glovebox/v1\n${text}` } as const;
  const policy = loadPolicy([source], { home: "/h", projectDirectory: "/p", nowMs: Date.now(), isPublicSuffix: () => false });
  const user = { uid: 1000, gid: 1000, groups: [1000], name: "u", home: "/h" };
  return buildEnvironment({ policy, caller: {}, user, cwd: "/p", hasTerminal: false, ...more });
}

const opening = "egress: [{id: web, hosts: [web.example.com], verdict: allow}]";
const retries = ["npm_config_fetch_retries", "PIP_RETRIES", "CARGO_NET_RETRY"];
const proxies = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
const about = (environment: Record<string, string>): readonly string[] =>
  Object.keys(environment).filter((name) => [...retries, ...proxies].includes(name));

test("buildEnvironment() tells installers not to try again where there is no network, unless the policy or the caller says otherwise", () => {
  const environment = environmentOf("");
  assert.deepEqual(about(environment), retries);
  assert.deepEqual(
    retries.map((name) => environment[name]),
    ["0", "0", "0"],
  );
  assert.equal(environmentOf("environment: {set: {PIP_RETRIES: '3'}}")["PIP_RETRIES"], "3");
  const caller = { npm_config_fetch_retries: "1" };
  assert.equal(environmentOf("environment: {pass: [npm_config_fetch_retries]}", { caller })["npm_config_fetch_retries"], "1");
});

test("buildEnvironment() names the gate where something may be reached, and leaves everybody's retries alone", () => {
  assert.deepEqual(about(environmentOf(opening)), proxies);
});

test("buildEnvironment() says nothing of the gate's network to a command outside the sandbox", () => {
  assert.deepEqual(about(environmentOf(opening, { isOutside: true })), []);
  assert.deepEqual(about(environmentOf("", { isOutside: true })), []);
});
