// Companies' proxies: a machine that reaches nothing but them, and knows no names.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { proxies } from "../fixtures/internet/places.ts";

const program = path.resolve(import.meta.dirname, "../fixtures/dial-through.ts");
const resources = new AsyncDisposableStack();
let internet: Internet;

before(async () => {
  internet = await openInternet(resources, { resolver: "none", onlyRoute: proxies.address, extras: ["squid", "tinyproxy", "socks"] });
});
after(() => resources.disposeAsync());

async function through(...urls: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await internet.onMachine([process.execPath, program, internet.authority, "only4.pkg.example.org", ...urls], {
    timeoutMs: 60_000,
  });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => String(JSON.parse(line)));
}

const who = `${proxies.user}:${encodeURIComponent(proxies.password)}@`;
const { address } = proxies;

test("the gate tunnels through HTTP and SOCKS5 proxies, with and without a password", async () => {
  const urls = [
    `http://${address}:${proxies.tinyproxy}`,
    `http://${who}${address}:${proxies.squid}`,
    `https://${who}${proxies.name}:${proxies.squidTls}`,
    `socks5://${who}${address}:${proxies.socks}`,
  ];
  assert.deepEqual(
    await through(...urls),
    urls.map(() => "HTTP/1.1 200 OK"),
  );
});

test("a proxy that refuses ends the connection, and nothing goes around it", async () => {
  const urls = [
    `http://${address}:${proxies.squid}`,
    `socks5://${address}:${proxies.socks}`,
    `http://${who.replace(":", ":x")}${address}:${proxies.squid}`,
  ];
  assert.deepEqual(
    await through(...urls),
    urls.map(() => "EgressEnd: proxy"),
  );
});
