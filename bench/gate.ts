// The gate beside squid and tinyproxy of Debian and beside nothing: throughput, a new connection, resident memory while it carries a thousand. One and
// the same client, in a sandbox where a gate is measured, asks one and the same server of the test internet.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { makeGloved } from "../test/fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../test/fixtures/internet/internet.ts";
import { proxies } from "../test/fixtures/internet/places.ts";
import { prepareExtra } from "../test/fixtures/internet/proxies.ts";
import { measureInTurn, printTimings } from "./measure.ts";

const transferBytes = 256 << 20;
const connects = 100;
const heldConnections = [0, 10, 1000] as const;
const host = "api.example.com";

const rules = `
egress: [{id: all, hosts: [${host}], ports: [80], protocols: [http, tcp], verdict: allow}]
limits: {egressConnections: 1100, openFiles: 4096, wall: 15m}
`;

type Started = ReturnType<Internet["start"]>;

interface Way {
  readonly name: string;
  /** Of the client: host, proxy, who uses the proxy. */
  readonly words: readonly [string, string, string];
  readonly start: (argv: readonly string[]) => Started;
  /** Whose memory is looked at: its words, joined by spaces. */
  readonly process?: RegExp;
}

/** One client that stays, so that nobody's start is measured. */
class Client {
  readonly #child: Started;
  readonly #lines: AsyncIterator<string, undefined>;
  readonly #name: string;
  #complaint = "";

  constructor(program: string, { name, words: [target, proxy, user], start }: Way) {
    this.#name = name;
    this.#child = start(["/usr/bin/python3", "-c", program, target, "80", proxy, user]);
    const { stdout, stderr } = this.#child;
    if (stdout === null) throw new TypeError("no output");
    stderr?.on("data", (bytes: Buffer) => (this.#complaint += bytes.toString()));
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async #say(what: string, number: number): Promise<string> {
    this.#child.stdin?.write(`${what} ${number}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#name} ended: ${this.#complaint}`);
    return value;
  }

  /** @returns milliseconds */
  async ask(what: "get" | "connect" | "hold", number: number): Promise<number> {
    return Number(await this.#say(what, number));
  }

  /** @returns milliseconds of each part of a new connection, as text */
  async askParts(number: number): Promise<readonly string[]> {
    return (await this.#say("parts", number)).split(" ");
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.stdin?.end();
    await ended;
  }
}

async function waysOut(internet: Internet): Promise<readonly Way[]> {
  const gloved = await makeGloved(internet, rules);
  const bare = (argv: readonly string[]): Started => internet.start("machine", argv, { stdin: "pipe" });
  const inside = (argv: readonly string[]): Started => gloved.start(argv, { stdin: "pipe" });
  const outThere = (argv: readonly string[]): Started => internet.start("internet", argv, { stdin: "pipe" });
  const who = `${proxies.user}:${proxies.password}`;
  const { address, squid, tinyproxy } = proxies;
  return [
    { name: "plain loopback", words: ["127.0.0.1", "-", "-"], start: outThere },
    { name: "no proxy", words: [host, "-", "-"], start: bare },
    { name: "gate, captured", words: [host, "-", "-"], start: inside },
    { name: "gate, CONNECT", words: [host, "198.18.0.1:3128", "-"], start: inside, process: /\/gate\.(?:ts|cjs)$/u },
    { name: "squid", words: [host, `${address}:${squid}`, who], start: bare, process: /squid -N/u },
    { name: "tinyproxy", words: [host, `${address}:${tinyproxy}`, "-"], start: bare, process: /tinyproxy -d/u },
  ];
}

/** With the tests' configuration, but for the rule that tunnels lead to port 443 only: TLS would be measured with them. */
async function startOther(internet: Internet, name: "squid" | "tinyproxy"): Promise<void> {
  const { argv, port } = await prepareExtra(name, internet.directory);
  const file = path.join(internet.directory, `${name}.conf`);
  const lines = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, lines.filter((line) => !/^(?:http_access deny CONNECT|ConnectPort)/u.test(line)).join("\n"));
  await internet.untilListening("internet", internet.start("internet", argv), port);
  const { stdout } = await internet.onMachine([argv[0] ?? "", "-v"]);
  console.log(`${stdout.split("\n", 1)[0]}: $ ${argv.join(" ").replaceAll(internet.directory, "DIRECTORY")}`);
}

interface Running {
  readonly parent: number;
  readonly words: string;
  readonly residentKiB: number;
}

function runningOf(pid: string): Running | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const field = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, "mu").exec(status)?.[1] ?? 0);
    const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").join(" ").trim();
    return { parent: field("PPid"), words, residentKiB: field("VmRSS") };
  } catch {
    return undefined; // it ended between two looks
  }
}

/** Of what this bench started, the process that has most: other gates may run on the machine. @throws Error when there is none */
function residentMiB(pattern: RegExp): number {
  const all = new Map(readdirSync("/proc").map((name) => [Number(name), /^\d+$/u.test(name) ? runningOf(name) : undefined]));
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(all.get(pid)?.parent ?? 0));
  const found = [...all].flatMap(([pid, running]) =>
    running !== undefined && pattern.test(running.words) && isOurs(pid) ? [running.residentKiB] : [],
  );
  if (found.length === 0) throw new Error(`no process of this bench is ${pattern.source}`);
  return Math.max(...found) / 1024;
}

const partNames = ["lookup", "connection", "tunnel", "first byte", "end", "all"] as const;

/** What of a new connection waits for whom: the name's answer and all from the first byte on is the gate's to give. */
async function printParts(way: Way, client: Client): Promise<void> {
  const parts = await client.askParts(connects);
  console.log(`  ${way.name.padEnd(16)} ${partNames.map((name, index) => `${name} ${parts[index] ?? "?"}`).join(", ")}`);
}

async function printMemory(way: Way, client: Client): Promise<void> {
  if (way.process === undefined) return;
  const said: string[] = [];
  let open = 0;
  for (const count of heldConnections) {
    await client.ask("hold", count - open);
    open = count;
    said.push(`${residentMiB(way.process).toFixed(0)} MiB with ${count}`);
  }
  console.log(`  ${way.name.padEnd(16)} resident ${said.join(", ")} connections`);
}

/** @param what one of them, for a shorter look @throws Error when a client could not do its work */
export async function benchGate(what: "all" | "connect" | "get" | "memory" = "all"): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const internet = await openInternet(resources, { isWatched: false });
  console.log("");
  for (const name of ["squid", "tinyproxy"] as const) await startOther(internet, name);
  const program = await readFile(path.join(import.meta.dirname, "gate-client.py"), "utf8");
  const ways = (await waysOut(internet)).map((way) => ({ way, client: new Client(program, way) }));
  resources.defer(async () => void (await Promise.all(ways.map(({ client }) => client.end()))));
  const measured = (kind: "get" | "connect", number: number, share: number) =>
    measureInTurn(
      ways.map(({ way: { name }, client }) => ({ name, run: async () => (await client.ask(kind, number)) / share })),
      7,
    );
  if (what === "all" || what === "connect") {
    printTimings(`new connection, one byte, end (mean of ${connects}; budget +1 ms)`, await measured("connect", connects, connects));
    console.log(`\nparts of a new connection (medians of ${connects} single ones, ms, of a gate that has carried a thousand)`);
    for (const { way, client } of ways) await printParts(way, client);
  }
  if (what === "all" || what === "get")
    printTimings(`${transferBytes >> 20} MiB (budget 1.43x, that is 0.7 of the throughput)`, await measured("get", transferBytes, 1));
  if (what !== "all" && what !== "memory") return;
  console.log("\nmemory");
  for (const { way, client } of ways) await printMemory(way, client);
}
