// Clients, servers and resolvers that misbehave: each ends in bounded time, nothing leaves that should not, and the next honest request works.
import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { tablePolicy } from "../fixtures/internet/egress-cases.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { lyingZone, resolvers } from "../fixtures/internet/places.ts";
import { type Probe, tryAll } from "../fixtures/internet/probes.ts";

const echoRule = "  - {id: echo, hosts: [api.example.com], ports: [7], protocols: [tcp], verdict: allow}\n";

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  // The machine asks the lying resolver itself: nobody honest stands between.
  internet = await openInternet(resources, { resolver: "lying" });
  gloved = await makeGloved(internet, tablePolicy.replace("limits:", `${echoRule}limits:`));
  await copyFile(path.join(import.meta.dirname, "../fixtures/internet/rude_client.py"), path.join(gloved.project, "rude_client.py"));
});
after(() => resources.disposeAsync());

/** Runs one rude client; `limits` are shell words before Glovebox itself. */
async function rude(how: string, limits = ""): Promise<string> {
  const words = gloved.words(["/usr/bin/python3", "rude_client.py", how, `after-${how}`]);
  const argv = limits === "" ? words : ["/bin/sh", "-c", `${limits}; exec "$@"`, "sh", ...words];
  const { code, stdout, stderr } = await internet.onMachine(argv, { environment: gloved.environment, timeoutMs: 180_000 });
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /^then HTTP\/1\.1 200$/mu, stderr);
  return stdout + stderr;
}

test("a client that vanishes at any byte takes nothing with it", async () => {
  await rude("vanish");
});

test("a client that sends a byte now and then is ended at every door, and told where there are words for it", async () => {
  const said = await rude("loris");
  const ends = [...said.matchAll(/^loris (\w+) (.+) after (\d+)$/gmu)].map(([, door, how, seconds]) => ({
    door,
    how,
    seconds: Number(seconds),
  }));
  assert.equal(ends.length, 4, said);
  for (const { door, how, seconds } of ends) {
    assert.match(how ?? "", door === "http" ? /^HTTP\/1\.1 408$/u : /^(?:closed|ConnectionResetError|BrokenPipeError)$/u, said);
    assert.ok(seconds < 55, said);
  }
});

test("a client that has ended its half is heard to the end, and answered, whether it had anything to say or not", async () => {
  const said = await rude("halves");
  const heard = [...said.matchAll(/^half (.+)$/gmu)].map(([, what]) => what);
  assert.deepEqual(heard, ["request b'HTTP/1.1 200' closed", "echo b'abc' closed", "nothing b'' closed"]);
});

test("nobody is asked for a body before the request was judged", async () => {
  const said = await rude("expect");
  assert.deepEqual(said.match(/^expect .+$/gmu), ["expect allowed 100 200", "expect denied 403", "expect odd 400"]);
});

test("an answer that is cut short at any byte never looks whole", async () => {
  const said = await rude("cut");
  assert.deepEqual(said.match(/^cut .+$/gmu), ["cut length 49 0123456789", "cut chunks 72 0123456789", "cut close 48 0123456789"]);
});

test("more silent clients than there may be are ended, and others are served again", async () => {
  assert.match(await rude("silent"), /^silent [1-9]/mu);
});

test("more tunnels than the policy allows are refused, and the slots come back", async () => {
  assert.match(await rude("crowd"), /^crowd .*'HTTP\/1\.1 403'/mu);
});

test("more questions for names than there may be in a second are refused, and told as what they are", async () => {
  const said = await rude("questions");
  assert.ok(Number(/^questions (\d+)$/mu.exec(said)?.[1]) >= 500, said);
  assert.match(said, /198\.18\.0\.2 port 53: more than 500 questions for names in a second /u);
});

test("a gate whose descriptors are used up refuses, and serves again when there are some", async () => {
  assert.match(await rude("crowd", "ulimit -n 100"), /^crowd /mu);
});

const evidentLies = [
  "inward",
  "failing",
  "refusing",
  "missing",
  "empty",
  "counted",
  "circle",
  "wrongid",
  "wrongname",
  "stranger",
  "pointer",
  "truncated",
  "mapped",
  "garbage",
  "never",
];

test("a resolver that lies, fails or says nothing leads nowhere", async () => {
  const probes = evidentLies.map((lie): Probe => ({ token: `lie-${lie}`, via: "connect", host: `${lie}.a.${lyingZone}` }));
  // Of the second nothing is known but its addresses of one family: that has to do.
  const controls = ["control", "half"].map((name): Probe => ({ token: `lie-${name}`, via: "connect", host: `${name}.a.${lyingZone}` }));
  const capture = await internet.capture();
  const answers = await tryAll(internet, gloved, [...probes, ...controls]);
  const packets = await capture.stop();
  for (const { token } of probes) {
    const answer = answers.get(token);
    assert.ok(answer !== undefined && !answer.arrived && /^(?:403|502)/u.test(answer.said) && answer.seconds < 55, JSON.stringify(answer));
  }
  for (const { token } of controls) assert.equal(answers.get(token)?.arrived, true, token);
  for (const token of ["lie-inward", "lie-mapped"]) assert.equal(answers.get(token)?.said, "403 resolved-address", token);
  const reached = new Set(packets.filter(({ address }) => address !== resolvers.lying).map(({ address }) => address));
  assert.deepEqual([...reached], ["93.10.1.9"]);
});

test("answers without end, or with two hundred addresses, cost neither time nor memory, and lead where a rule allows or nowhere", async () => {
  const probes = ["crowd", "flood"].map((lie): Probe => ({ token: `many-${lie}`, via: "connect", host: `${lie}.c.${lyingZone}` }));
  const answers = await tryAll(internet, gloved, probes);
  for (const { token } of probes) {
    const answer = answers.get(token);
    assert.ok(answer !== undefined && answer.seconds < 55 && /^(?:200 200|200|502 .*)$/u.test(answer.said), JSON.stringify(answer));
  }
});

test("names as long as names may be, and longer, are refused or asked once", async () => {
  const labels = (length: number): string =>
    `${"a".repeat(50)}.`
      .repeat(5)
      .slice(0, length - ".pkg.example.org".length)
      .replace(/\.$/u, "b");
  const probes = [127, 129, 253, 254, 255].flatMap((length) =>
    (["connect", "socks", "http", "capture"] as const).map((via): Probe => ({
      token: `long-${length}-${via}`,
      via,
      host: `${labels(length)}.pkg.example.org`,
      port: via === "http" ? 80 : 443,
    })),
  );
  const earlier = internet.arrivals.length;
  const answers = await tryAll(internet, gloved, probes);
  for (const { token } of probes) {
    const answer = answers.get(token);
    assert.ok(answer !== undefined && !answer.arrived && !answer.said.endsWith("200") && answer.seconds < 55, JSON.stringify(answer));
  }
  const asked = internet.arrivals.slice(earlier).flatMap((arrival) => (arrival.kind === "question" ? [arrival.name.length] : []));
  assert.deepEqual([...new Set(asked)], [127]);
});

test("an answer that comes after the deadline is not heard", async () => {
  const get = "curl -sS -o /dev/null --proxy http://198.18.0.1:3128";
  const late = `${get} https://late.b.${lyingZone}/ -w 'late %{http_connect}\\n'`;
  // The gate that asked is there still, and serves.
  const after = `until [ -e released ]; do sleep 0.1; done; ${get} http://api.example.com/after-late -w 'after %{http_code}\\n'`;
  const earlier = internet.arrivals.length;
  const child = gloved.start(["/bin/sh", "-c", `${late}; ${after}`]);
  if (child.stdout === null) throw new TypeError("no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.deepEqual(await lines.next(), { value: "late 502", done: false });
  await internet.releaseAnswers();
  await writeFile(path.join(gloved.project, "released"), "");
  assert.deepEqual(await lines.next(), { value: "after 200", done: false });
  const reached = internet.arrivals.slice(earlier).flatMap((arrival) => (arrival.kind === "tcp" ? [arrival.address] : []));
  assert.deepEqual(reached, ["93.10.0.1"]);
});

test("a server that lies about its length, floods with headers or resets gives no second answer, and the next request works", async () => {
  const get = `curl -sS --max-time 60 --proxy http://198.18.0.1:3128`;
  const urls = ["lies/short", "lies/long", "lies/both", "lies/bomb", "reset"].map((what) => `http://api.example.com/${what}`);
  const script = urls.map((url) => `${get} ${url} -o out -w '%{http_code} '; echo $?; grep -c "second answer" out; rm -f out`).join("; ");
  const { stdout, stderr } = await gloved.run([
    "/bin/sh",
    "-c",
    `${script}; ${get} http://api.example.com/after-lies -o /dev/null -w 'then %{http_code}'`,
  ]);
  assert.match(stdout, /then 200$/u, stderr);
  assert.doesNotMatch(stdout, /^[1-9]\d*$/mu, "bytes beyond the announced length came in");
});

test("a server that only announces an answer, or speaks another protocol without being asked, has not answered", async () => {
  const urls = ["lies/announce", "lies/switch", "after-announcements"].map((what) => `http://api.example.com/${what}`);
  const script = urls
    .map((url) => `curl -sS --max-time 60 --proxy http://198.18.0.1:3128 ${url} -o /dev/null -w '%{http_code} '`)
    .join("; ");
  const { stdout, stderr } = await gloved.run(["/bin/sh", "-c", script]);
  assert.equal(stdout, "502 502 200 ", stderr);
});
