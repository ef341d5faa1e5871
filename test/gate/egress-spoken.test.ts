// What is spoken on connections that the rules allow: other protocols, hidden names, bodies where none are usual, redirects, and tunnels within TLS.
// INVARIANT I-06
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { helloBytes } from "../../src/egress/testing/hello-bytes.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { resolvers } from "../fixtures/internet/places.ts";
import { type Probe, tryAll } from "../fixtures/internet/probes.ts";

/** Port 7 echoes, so that what was let through comes back; port 992 does so within TLS. */
const rules = `
egress:
  - {id: api, hosts: [api.example.com], ports: [443, 7, 992], verdict: allow}
  - {id: plain, hosts: [api.example.com], ports: [80], protocols: [http], verdict: allow}
  - {id: chat, hosts: [api.example.com], ports: [8080], protocols: [ws], verdict: allow, maxRequest: 64KiB}
limits: {egressBytes: 1MiB}
`;
const host = "api.example.com";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  internet = await openInternet(resources);
  gloved = await makeGloved(internet, rules);
  await copyFile(internet.authority, path.join(gloved.project, "authority.pem"));
});
after(() => resources.disposeAsync());

const lines = (...all: readonly string[]): string => `${all.join("\r\n")}\r\n\r\n`;
/** Encrypted ClientHello; nobody here can open it, and nobody has to. */
const encrypted: readonly [number, Uint8Array] = [0xfe0d, Buffer.from("inner name: evil.test")];
const hello = (serverName?: string): string =>
  helloBytes({ extensions: [encrypted], ...(serverName === undefined ? {} : { serverName }) }).toString("latin1");
/** As long with any token in it. */
const body = lines("GET /within HTTP/1.1", `Host: ${host}`);

interface Spoken {
  readonly row: string;
  readonly what: string;
  readonly port: number;
  readonly raw: string;
  readonly said: RegExp;
  /** A server sees the request with the path TOKEN. */
  readonly arrives?: true;
}

const webSocket = (path: string, where = host): string =>
  lines(
    `GET ${path} HTTP/1.1`,
    `Host: ${where}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  );
const refused = /^(?:200 )?raw (?:HTTP\/1\.1 400 |closed)|^ConnectionResetError/u;
const forbidden = (reason: string): RegExp => new RegExp(`^(?:200 )?raw HTTP/1\\.1 403 Forbidden\r\nX-Glovebox-Refused: ${reason}\r`, "u");
/** The start of a TLS record comes back. */
const echoed = new RegExp(`^(?:200 )?raw ${String.fromCharCode(22, 3)}`, "u");
const spoken: readonly Spoken[] = [
  { row: "E46", what: "HTTP/2 at once", port: 80, raw: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", said: refused },
  {
    row: "E46",
    what: "an upgrade to HTTP/2",
    port: 80,
    raw: lines("GET /TOKEN HTTP/1.1", `Host: ${host}`, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
    said: refused,
  },
  {
    row: "E46",
    what: "a header of HTTP/2",
    port: 80,
    raw: lines("GET /TOKEN HTTP/1.1", `Host: ${host}`, ":authority: evil.test"),
    said: refused,
  },
  {
    row: "E52",
    what: "a GET with a body that looks like a request",
    port: 80,
    raw: `${lines("GET /TOKEN HTTP/1.1", `Host: ${host}`, `Content-Length: ${body.length}`)}${body}`,
    said: /^(?:200 )?raw HTTP\/1\.1 200 /u,
    arrives: true,
  },
  {
    row: "E52",
    what: "a GET with a body in chunks",
    port: 80,
    raw: `${lines("GET /TOKEN HTTP/1.1", `Host: ${host}`, "Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    said: /^(?:200 )?raw HTTP\/1\.1 200 /u,
    arrives: true,
  },
  {
    row: "E52",
    what: "a second request behind the first",
    port: 80,
    raw: lines("GET /TOKEN HTTP/1.1", `Host: ${host}`) + body,
    said: /raw/u,
    arrives: true,
  },
  { row: "E55", what: "a WebSocket that no rule names", port: 80, raw: webSocket("/TOKEN"), said: forbidden("upgrade") },
  {
    row: "E55",
    what: "a WebSocket that a rule names",
    port: 8080,
    raw: webSocket("/TOKEN", `${host}:8080`),
    said: /^(?:200 )?raw HTTP\/1\.1 101 /u,
    arrives: true,
  },
  {
    row: "E55",
    what: "a WebSocket of another host on a connection to the allowed one",
    port: 8080,
    raw: webSocket("/TOKEN", "evil.test:8080"),
    said: forbidden("host-mismatch"),
  },
  {
    row: "E55",
    what: "a plain request where a WebSocket is allowed",
    port: 8080,
    raw: lines("GET /TOKEN HTTP/1.1", `Host: ${host}:8080`),
    said: forbidden("protocol"),
  },
  { row: "E55", what: "bytes before the server has agreed", port: 8080, raw: `${webSocket("/TOKEN", `${host}:8080`)}early`, said: refused },
  { row: "E74", what: "an encrypted hello under the asked name", port: 7, raw: hello(host), said: echoed },
  { row: "E74", what: "an encrypted hello under another name", port: 7, raw: hello("evil.test"), said: refused },
  { row: "E74", what: "an encrypted hello under no name", port: 7, raw: hello(), said: refused },
  { row: "E76", what: "SSH on a port of TLS", port: 7, raw: "SSH-2.0-x\r\n", said: refused },
];

test("only what the rules name is spoken there, and one request is one request", async () => {
  const cases = spoken.flatMap((each) => (["connect", "socks", "capture"] as const).map((via) => ({ ...each, via })));
  const probes = cases.map(({ via, port, raw }, index): Probe => {
    const token = `spoken-${index}`;
    return { token, via, host, port, tls: false, raw: raw.replaceAll("TOKEN", token) };
  });
  const answers = await tryAll(internet, gloved, probes);
  const complaints = cases.flatMap(({ row, what, via, said, arrives = false }, index) => {
    const answer = answers.get(`spoken-${index}`);
    const isRight = answer !== undefined && said.test(answer.said) && answer.arrived === arrives && answer.seconds < 45;
    return isRight ? [] : [`${row} ${what} by ${via}: ${JSON.stringify(answer)}`];
  });
  assert.deepEqual(complaints, []);
  assert.ok(!internet.arrivals.some((arrival) => arrival.kind === "http" && arrival.url === "/within"));
});

const curl = "curl -sS --max-time 20 --cacert authority.pem -o /dev/null";
const captured = `env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY ${curl}`;
const run = (script: string) => gloved.run(["/bin/sh", "-c", script]);

test("a redirect is followed by the client alone, and judged like any other request", async () => {
  const asked = (to: string): string =>
    [curl, captured].map((one) => `${one} -L -w '%{num_redirects} %{http_code} ' 'http://${host}/redirect?to=${to}'`).join("; ");
  const capture = await internet.capture();
  const targets = [
    "http://169.254.169.254/x",
    "http://evil.test/x",
    "http://93.66.0.1/x",
    "http://0xa9fea9fe/x",
    "http://api.example.com:81/x",
  ];
  const { stdout, stderr } = await run([...targets, "http://127.0.0.1/x", "https://api.example.com/x"].map(asked).join("; echo; "));
  const denied = targets.map(() => "1 403 1 302 ");
  assert.deepEqual(stdout.split("\n"), [...denied, "1 302 1 302 ", "1 200 1 200 "], stderr);
  const reached = new Set((await capture.stop()).map(({ address }) => address));
  assert.deepEqual([...reached].toSorted(), ["93.10.0.1", resolvers.honest]);
});

test("a client that is told to use no proxy gets no further", async () => {
  const direct = `NO_PROXY='*' no_proxy='*' ${curl} -w '%{http_code} '`;
  const { stdout } = await run(`${direct} http://${host}/; ${direct} http://evil.test/; ${direct} http://93.66.0.1/`);
  assert.equal(stdout, "200 000 000 ");
});

test("nobody learns keys that would hide a server's name: no record of any type but addresses", async () => {
  const ask = String.raw`
import socket, struct
for kind in (64, 65, 16, 33, 255):
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); asker.settimeout(10)
    name = b"".join(bytes([len(part)]) + part for part in b"api.example.com".split(b"."))
    asker.sendto(struct.pack("!6H", kind, 256, 1, 0, 0, 0) + name + b"\0" + struct.pack("!2H", kind, 1), ("93.53.0.1", 53))
    print(kind, struct.unpack("!6H", asker.recv(600)[:12])[3])
`;
  const { stdout, stderr } = await gloved.run(["/usr/bin/python3", "-c", ask]);
  assert.equal(stdout, "64 0\n65 0\n16 0\n33 0\n255 0\n", stderr);
});

const tasksConnections = z.object({ connections: z.array(z.object({ host: z.string(), protocol: z.string(), checked: z.string() })) });

test("a tunnel within TLS is recorded as one that nobody saw into", async () => {
  const { stdout } = await gloved.run(["/bin/sh", "-c", `${captured} -H 'Host: evil.test' https://${host}/; ${curl} http://${host}/`], {
    flags: ["--json"],
  });
  const { task } = z.object({ result: z.object({ task: z.string() }) }).parse(JSON.parse(stdout)).result;
  const listed = await gloved.glovebox("egress", "ls", "--json", task);
  const { connections } = tasksConnections.parse(JSON.parse(listed.stdout));
  assert.deepEqual(
    connections.map(({ protocol, checked }) => `${protocol} ${checked}`),
    ["https tls", "http http"],
  );
});

/** Sends the next bytes when it has heard the last ones, until it cannot or has heard three million: prints how many. */
const sendAndHear = `
import socket, ssl
context, heard = ssl.create_default_context(cafile="authority.pem"), 0
try:
    client = context.wrap_socket(socket.create_connection(("${host}", 992), 20), server_hostname="${host}")
    client.sendall(bytes(4096))
    while heard < 3_000_000 and (echo := client.recv(4096)):
        heard += len(echo)
        client.sendall(bytes(len(echo)))
except OSError:
    pass
print(heard)`;

test("a tunnel within TLS, which nobody sees into, ends with the bytes that the task may send", async () => {
  const { stdout, stderr } = await run(`for _ in 1 2; do python3 -c '${sendAndHear}'; done`);
  const [first, second] = stdout.split("\n").map(Number);
  assert.ok(first !== undefined && first > 0 && first <= 2 ** 20, stdout);
  assert.equal(second, 0, stdout);
  assert.ok(stderr.includes("raise limits.egressBytes"), stderr);
});

/** Asks the gate as a proxy and, captured, the place itself; then says what came back of what it sent. */
const chatter = `
import socket, sys
handshake = "Host: api.example.com:8080\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n"
def talk(address, target, total):
    with socket.create_connection(address, 20) as connection:
        connection.settimeout(20)
        connection.sendall(("GET %s HTTP/1.1\\r\\n%s" % (target, handshake)).encode())
        head = b""
        while b"\\r\\n\\r\\n" not in head: head += connection.recv(1) or sys.exit("no answer")
        back = 0
        try:
            for _ in range(total // 1024):
                connection.sendall(b"x" * 1024)
                while back < (_ + 1) * 1024:
                    got = connection.recv(4096)
                    if not got: return "%s, %d back, ended" % (head.split(b" ")[1].decode(), back)
                    back += len(got)
        except OSError: return "%s, %d back, ended" % (head.split(b" ")[1].decode(), back)
        return "%s, %d back" % (head.split(b" ")[1].decode(), back)
for name, address, target in [("proxy", ("198.18.0.1", 3128), "http://api.example.com:8080/chat"), ("captured", ("api.example.com", 8080), "/chat")]:
    print(name, talk(address, target, 8192), flush=True)
    print(name, talk(address, target, 131072), flush=True)
`;

test("a WebSocket that a rule names is a tunnel with the limits and the record of one", async () => {
  const { stdout, stderr } = await gloved.run(["/usr/bin/python3", "-c", chatter], { flags: ["--json"] });
  const { output, result } = JSON.parse(stdout) as {
    readonly output: { readonly stdout: { readonly text: string } };
    readonly result: { readonly task: string };
  };
  const ends = /^proxy 101, 8192 back\nproxy 101, (\d+) back, ended\ncaptured 101, 8192 back\ncaptured 101, (\d+) back, ended\n$/u.exec(
    output.stdout.text,
  );
  assert.ok(ends !== null, output.stdout.text + stderr);
  for (const back of ends.slice(1)) assert.ok(Number(back) > 32_768 && Number(back) <= 65_536, `${back} of at most 64 KiB`);
  const { stdout: listed } = await gloved.glovebox("egress", "ls", result.task);
  assert.equal(listed.match(/api\.example\.com.*8080.*\bws\b/gu)?.length, 4, listed);
  assert.match(listed, /limit-request/u);
});
