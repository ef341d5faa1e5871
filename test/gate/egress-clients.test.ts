// Every kind of client reaches what the rules allow, with proxy variables and without, and is refused quickly where they do not.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Client, clientsIn, nodeDirectory, prepareClients, trustVariables } from "../fixtures/internet/clients.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet, type Ran } from "../fixtures/internet/internet.ts";

const rules = `
egress:
  - {id: pkg, hosts: ["*.pkg.example.org"], verdict: allow}
  - {id: plain, hosts: ["*.pkg.example.org"], ports: [80], protocols: [http], verdict: allow}
  - {id: git, hosts: [git.pkg.example.org], protocols: [ssh], verdict: allow}
`;
const allowed = "git.pkg.example.org";
const refused = "evil.test";
/** From start to end of the program; the slowest of them starts a Java machine on a busy computer. */
const quicklyMs = 15_000;

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;
let clients: readonly Client[];
let flags: readonly string[];

before(async () => {
  internet = await openInternet(resources, { extras: ["ssh"] });
  gloved = await makeGloved(internet, rules + trustVariables(path.join(internet.directory, "project")));
  await prepareClients(internet, gloved.project);
  const node = await nodeDirectory();
  clients = clientsIn(path.join(node, "node"), path.join(internet.directory, "repositories/hello.git"));
  flags = ["--allow-read", node];
});
after(() => resources.disposeAsync());

interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly output: string;
}

type Runner = (argv: readonly string[], input: string) => Promise<Ran>;

interface Asked {
  readonly run: Runner;
  /** Keeps the tokens of the sets apart. */
  readonly mark: string;
  readonly host: string;
  readonly by?: readonly Client[];
}

/** Runs all clients in one go. */
async function outcomes({ run, mark, host, by = clients }: Asked): Promise<ReadonlyMap<string, Outcome>> {
  const lines = by.map(({ name, command }) => `${mark}-${name} ${command(host, `${mark}-${name}`)}`);
  const { code, stdout, stderr } = await run(["/bin/sh", "try-all.sh"], `${lines.join("\n")}\n`);
  assert.equal(code, 0, stderr);
  const found = new Map<string, Outcome>();
  for (const line of stdout.split("\n").filter(Boolean)) {
    const [token = "", status, ms] = line.split(" ");
    const output = await readFile(path.join(gloved.project, "out", token), "latin1");
    found.set(token, { status: Number(status), ms: Number(ms), output });
  }
  assert.equal(found.size, by.length, stdout + stderr);
  return found;
}

const inside: Runner = (argv, input) => gloved.run(argv, { input, flags, timeoutMs: 300_000 });
const insideCaptured: Runner = (argv, input) => inside(["/usr/bin/env", ...unset, ...argv], input);
const unset = ["http", "https", "all", "no"].flatMap((name) => [`-u`, `${name}_proxy`, `-u`, `${name.toUpperCase()}_PROXY`]);
/** The control: the same on the machine, with nothing between. */
const outside: Runner = (argv, input) => {
  const variables = Object.fromEntries(
    ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"].map((name) => [
      name,
      path.join(gloved.project, "authority.pem"),
    ]),
  );
  return internet.onMachine(argv, { input, cwd: gloved.project, environment: { ...variables, HOME: gloved.project }, timeoutMs: 300_000 });
};

const arrivedAt = (token: string): boolean => internet.arrivals.some((arrival) => arrival.kind === "http" && arrival.url === `/${token}`);

function assertReached(found: ReadonlyMap<string, Outcome>): void {
  const failures = [...found].filter(([token, { status, output }]) => {
    const isGit = token.includes("-git-");
    return status !== 0 || (isGit ? !output.includes("from the internet") : !arrivedAt(token) || !output.includes(token));
  });
  assert.deepEqual(failures, []);
}

function assertRefused(found: ReadonlyMap<string, Outcome>): void {
  const failures = [...found].filter(([token, { status, ms }]) => status === 0 || ms > quicklyMs || arrivedAt(token));
  assert.deepEqual(failures, []);
}

test("outside any sandbox every client reaches its host, and the one that the rules do not name", async () => {
  assertReached(await outcomes({ run: outside, mark: "outside", host: allowed }));
  const by = clients.filter(({ name }) => ["curl-https", "static-c"].includes(name));
  assertReached(await outcomes({ run: outside, mark: "outside-evil", host: refused, by }));
});

test("with proxy variables every client reaches an allowed name", async () => {
  assertReached(await outcomes({ run: inside, mark: "proxy", host: allowed }));
});

test("without proxy variables every client reaches an allowed name", async () => {
  assertReached(await outcomes({ run: insideCaptured, mark: "captured", host: allowed }));
});

for (const [how, run] of [
  ["with", inside],
  ["without", insideCaptured],
] as const)
  test(`${how} proxy variables every client is refused quickly where no rule allows it, and nothing leaves`, async () => {
    const capture = await internet.capture();
    assertRefused(await outcomes({ run, mark: `refused-${how}`, host: refused }));
    assert.deepEqual(await capture.stop(), []);
  });
