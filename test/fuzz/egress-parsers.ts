// Fuzzes the gate's own parsers (ClientHello, SOCKS5, DNS, requests) for a bounded time: mutants of a seeded corpus, of which those stay that make a
// parser answer in a new way. Counts the blocks of code that were reached. With `planted` it fuzzes a reader that trusts a length, and must find it.
// Prints one line of JSON.
import { Session } from "node:inspector/promises";
import { answerDns, type DnsParts } from "../../src/egress/answer-dns.ts";
import { readClientHello } from "../../src/egress/client-hello.ts";
import { judgeConnect, judgeRequest } from "../../src/egress/judge-request.ts";
import { PlaceholderNames } from "../../src/egress/placeholder-names.ts";
import { readSocksGreeting, readSocksRequest } from "../../src/egress/socks-request.ts";
import { helloBytes } from "../../src/egress/testing/hello-bytes.ts";
import { isCanonicalName } from "../../src/kit/host-name.ts";

const [, , mode = "clean", seconds = "5"] = process.argv;

/** What a parser did, in a word that tells ways apart; throws when a promise is broken. */
type Target = (bytes: Buffer) => string;

const dnsParts: DnsParts = {
  names: new PlaceholderNames(),
  mayName: (name) => name.endsWith("example.com"),
  takeName: () => true,
  refused: (name) => {
    if (!isCanonicalName(name)) throw new Error(`no name: ${JSON.stringify(name)}`);
  },
};

const hello: Target = (bytes) => {
  const reading = readClientHello(bytes);
  if (reading.kind === "hello" && reading.serverName !== undefined && /[^!-~]/u.test(reading.serverName))
    throw new Error("a name with strange letters");
  return `hello ${reading.kind} ${reading.kind === "hello" ? typeof reading.serverName : ""}`;
};

const socks: Target = (bytes) => {
  const greeting = readSocksGreeting(bytes);
  const request = readSocksRequest(bytes);
  if (request.kind === "read" && request.value.port === 0) throw new Error("port 0");
  return `socks ${greeting.kind} ${request.kind} ${request.kind === "invalid" ? request.reply[1] : ""}`;
};

const dns: Target = (bytes) => {
  const answer = answerDns(bytes, dnsParts);
  if ((answer?.length ?? 0) > bytes.length + 28) throw new Error("an answer that amplifies");
  return `dns ${answer === undefined ? "silence" : `${answer[3]} ${answer[7]}`}`;
};

const request: Target = (bytes) => {
  const [url = "", ...rawHeaders] = bytes.toString("latin1").split("\n");
  const head = { method: "GET", url, httpVersion: "1.1", rawHeaders };
  const [absolute, origin, connect] = [judgeRequest(head, "absolute"), judgeRequest(head, "origin"), judgeConnect(head)];
  if (absolute !== undefined && /[\s#]/u.test(absolute.path)) throw new Error("a path with blanks");
  return `request ${absolute === undefined} ${origin === undefined} ${connect === undefined}`;
};

/** Reads a name of DNS and believes its lengths. */
const planted: Target = (bytes) => {
  if (bytes[0] !== 0xab) return "another";
  for (let at = 12; at < bytes.length && bytes[at] !== 0;) {
    const length = bytes.readUInt8(at);
    bytes.readUInt8(at + length);
    at += 1 + length;
  }
  return "planted";
};

const question = Buffer.from("abcd0100000100000000000101610765786d61706c6503636f6d00000100010000291000000000000000", "hex");
const seeds: readonly Buffer[] = [
  helloBytes({ serverName: "a.example.com", extensions: [[16, Buffer.from([0, 3, 2, 104, 50])]] }),
  helloBytes({ serverName: "a.example.com", cuts: [40] }),
  helloBytes(),
  Buffer.from([5, 2, 0, 2]),
  Buffer.from([5, 1, 0, 3, 9, ...Buffer.from("a.example"), 1, 187]),
  Buffer.from([5, 1, 0, 1, 1, 1, 1, 1, 0, 80]),
  question,
  Buffer.from("abcd010000010000000000000161076578616d706c6503636f6d00001c0001", "hex"),
  Buffer.from("http://a.example.com:8080/x?y\nHost\na.example.com:8080\nContent-Length\n5"),
  Buffer.from("/x\nHost\na.example.com\nTransfer-Encoding\nchunked"),
  Buffer.from("a.example.com:443\nHost\nx"),
];

/** xorshift: the same run each time, as far as the clock lets it go. */
let state = 0x9e3779b9;
function random(below: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}

const telling = [0, 1, 2, 3, 5, 12, 22, 63, 64, 127, 128, 192, 254, 255, 10, 13, 32, 37, 46, 58, 64, 91];

function mutate(pool: readonly Buffer[]): Buffer {
  let bytes = Buffer.from(pool[random(pool.length)] ?? question);
  for (let times = 1 + random(4); times > 0; times -= 1) {
    const at = random(bytes.length + 1);
    const way = random(6);
    if (way === 0) bytes = bytes.subarray(0, at);
    else if (way === 1)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([telling[random(telling.length)] ?? 0]), bytes.subarray(at)]);
    else if (way === 2) bytes = Buffer.concat([bytes.subarray(0, at), pool[random(pool.length)] ?? question]);
    else if (way === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random(8)))]);
    else if (bytes.length > 0) bytes[at % bytes.length] = way === 4 ? (telling[random(telling.length)] ?? 0) : random(256);
  }
  return bytes.length > 40_000 ? bytes.subarray(0, 40_000) : bytes;
}

interface Finding {
  readonly input: string;
  readonly error: string;
}

function fuzz(
  targets: readonly Target[],
  endMs: number,
): { readonly executions: number; readonly ways: number; readonly finding: Finding | undefined } {
  const pool = [...seeds];
  const ways = new Set<string>();
  let executions = 0;
  while (executions % 64 !== 0 || performance.now() < endMs) {
    const input = executions < seeds.length ? (seeds[executions] ?? question) : mutate(pool);
    for (const target of targets) {
      try {
        const startedMs = performance.now();
        const way = target(input);
        if (performance.now() - startedMs > 1000) throw new Error("too slow");
        if (!ways.has(way)) pool.push(input);
        ways.add(way);
      } catch (error) {
        return { executions, ways: ways.size, finding: { input: input.toString("hex"), error: String(error) } };
      }
    }
    executions += 1;
  }
  return { executions, ways: ways.size, finding: undefined };
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const result = fuzz(mode === "planted" ? [planted] : [hello, socks, dns, request], performance.now() + Number(seconds) * 1000);
const { result: scripts } = await session.post("Profiler.takePreciseCoverage");
const own = scripts.filter(({ url }) =>
  /\/src\/egress\/(?:client-hello|socks-request|dns-message|answer-dns|judge-request)\.ts$/u.test(url),
);
const blocks = own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges)).filter(({ count }) => count > 0).length;
console.log(JSON.stringify({ ...result, blocks }));
