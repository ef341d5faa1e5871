// The test internet itself: what the tests of the gate rely on is there without a gate, so that a silence in them means something.
import assert from "node:assert/strict";
import { chmod, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { parsePacket } from "../fixtures/internet/packet-capture.ts";
import { lyingZone, proxies } from "../fixtures/internet/places.ts";
import { diffObservations } from "../fixtures/observe/diff.ts";
import { observe } from "../fixtures/observe/observe.ts";
import { assertNothingLeft } from "../fixtures/residue.ts";
import { removeScratch } from "../fixtures/scratch.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;

before(async () => {
  internet = await openInternet(resources, { extras: ["squid", "tinyproxy", "socks", "ssh"] });
});
after(() => resources.disposeAsync());

const curl = async (...words: readonly string[]): Promise<string> => {
  const argv = ["/usr/bin/curl", "-sS", "--max-time", "20", "--noproxy", "", "--cacert", internet.authority, ...words];
  const { code, stdout, stderr } = await internet.onMachine(argv);
  return code === 0 ? stdout : `${code} ${stderr}`;
};

/** What a program on the machine learns about a name, one address a line. */
const lookUp = async (name: string, families = "ahosts"): Promise<readonly string[]> => {
  const { stdout } = await internet.onMachine(["/usr/bin/getent", families, name]);
  return [...new Set(stdout.split("\n").map((line) => line.split(" ")[0] ?? ""))].filter(Boolean);
};

test("the machine reaches web servers by name, over HTTP and HTTPS", async () => {
  assert.match(await curl("http://api.example.com/x"), /"host":"api.example.com".*"url":"\/x"/u);
  assert.match(await curl("https://a.b.pkg.example.org/"), /"sni":"a.b.pkg.example.org"/u);
  assert.equal((await curl("https://api.example.com/bytes/300000")).length, 300_000);
  assert.match(await curl("--data-binary", "x".repeat(1000), "https://api.example.com/upload"), /^1000 bytes/u);
  assert.match(await curl("http://api.example.com/reset"), /^(?:18|56) /u);
  assert.match(await curl("http://api.example.com/lies/short"), /^18 /u);
});

test("no file of /etc is a mount, which the host would take away with the file that it replaces", async () => {
  const { stdout } = await internet.onMachine(["/bin/cat", "/proc/self/mountinfo", "/etc/passwd"]);
  const mounts = stdout.split("\n").map((line) => line.split(" ")[4] ?? "");
  assert.ok(mounts.includes("/etc"));
  assert.deepEqual(
    mounts.filter((place) => place.startsWith("/etc/")),
    [],
  );
  assert.ok(stdout.includes(`:${internet.home}:`));
});

test("nobody trusts the hosts who was not told to", async () => {
  const { code } = await internet.onMachine(["/usr/bin/curl", "-sS", "https://api.example.com/"]);
  assert.equal(code, 60);
});

test("every address answers, and those that a policy forbids as well", async () => {
  const places = [
    "169.254.169.254",
    "10.1.2.3",
    "192.168.1.1",
    "100.64.0.1",
    "168.63.129.16",
    "[fd12::1]",
    "[fec0::1]",
    "[64:ff9b::a9fe:a9fe]",
  ];
  for (const place of places) assert.match(await curl(`http://${place}/`), /"reached"/u, place);
});

test("names have the addresses that the plan says: several, mixed ones, chains, any below a zone", async () => {
  assert.deepEqual((await lookUp("api.example.com")).toSorted(), ["2a00:10::1", "93.10.0.1"]);
  assert.deepEqual((await lookUp("mixed.pkg.example.org", "ahostsv4")).toSorted(), ["10.1.2.3", "93.10.1.7"]);
  assert.deepEqual(await lookUp("chain.pkg.example.org", "ahostsv4"), ["93.10.0.1"]);
  assert.deepEqual(await lookUp("some.thing.any.pkg.example.org", "ahostsv4"), ["93.10.1.2"]);
  assert.deepEqual(await lookUp("unique.pkg.example.org", "ahostsv6"), ["fd20:ce::254"]);
  assert.deepEqual(await lookUp("listed.pkg.example.org"), ["93.10.9.9"]);
  assert.deepEqual(await lookUp("unheard.example.net"), []);
});

test("the lying resolver changes its mind, and keeps an answer back until it is told to send it", async () => {
  assert.deepEqual(await lookUp(`rebind.x1.${lyingZone}`, "ahostsv4"), ["93.10.1.9"]);
  assert.deepEqual(await lookUp(`rebind.x1.${lyingZone}`, "ahostsv4"), ["127.0.0.1"]);
  const name = `late.x2.${lyingZone}`;
  const waiting = lookUp(name, "ahostsv4");
  while (!internet.arrivals.some((arrival) => arrival.kind === "question" && arrival.name === name))
    await new Promise((resolve) => setImmediate(resolve));
  await internet.releaseAnswers();
  assert.deepEqual(await waiting, ["93.10.1.9"]);
});

test("git clones over HTTPS and over SSH", async () => {
  const clone = async (url: string, environment: Record<string, string>): Promise<string> => {
    const words = ["/bin/sh", "-c", `rm -rf clone && git clone --quiet "${url}" clone && cat clone/hello.txt`];
    const { stdout, stderr } = await internet.onMachine(words, { environment: { HOME: internet.directory, ...environment } });
    return stdout + stderr;
  };
  assert.equal(await clone("https://git.pkg.example.org/git/hello.git", { GIT_SSL_CAINFO: internet.authority }), "from the internet\n");
  const ssh = `ssh -i ${internet.directory}/ssh-key -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
  const url = `ssh://${os.userInfo().username}@git.pkg.example.org${internet.directory}/repositories/hello.git`;
  assert.equal(await clone(url, { GIT_SSH_COMMAND: ssh }), "from the internet\n");
});

test("the companies' proxies let pass who has the password", async () => {
  const who = `${proxies.user}:${encodeURIComponent(proxies.password)}@`;
  const through = (proxy: string): Promise<string> =>
    curl("--proxy-cacert", internet.authority, "--proxy", proxy, "https://only4.pkg.example.org/");
  assert.match(await through(`http://${proxies.address}:${proxies.tinyproxy}`), /"reached"/u);
  assert.match(await through(`http://${who}${proxies.address}:${proxies.squid}`), /"reached"/u);
  assert.match(await through(`https://${who}${proxies.name}:${proxies.squidTls}`), /"reached"/u);
  assert.match(await through(`socks5h://${who}${proxies.address}:${proxies.socks}`), /"reached"/u);
  assert.match(await through(`http://${proxies.address}:${proxies.squid}`), /407/u);
  assert.match(await through(`socks5h://${proxies.address}:${proxies.socks}`), /^97 /u);
});

test("a capture holds what left the machine, and nothing when nothing did", async () => {
  const silent = await internet.capture();
  assert.deepEqual(await silent.stop(), []);
  const capture = await internet.capture();
  await curl("http://169.254.169.254/");
  await curl("http://[fd12::1]/");
  await internet.onMachine(["/bin/bash", "-c", "echo > /dev/udp/93.1.1.1/443"]);
  const seen = new Set((await capture.stop()).map(({ protocol, address, port }) => `${protocol} ${address} ${port}`));
  assert.deepEqual([...seen], ["tcp 169.254.169.254 80", "tcp fd12::1 80", "udp 93.1.1.1 443"]);
});

test("parsePacket() reads what tcpdump writes", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["00:25:22.1 IP 93.184.0.2.41000 > 93.10.0.1.443: tcp 0", { protocol: "tcp", address: "93.10.0.1", port: 443 }],
    ["00:25:22.1 IP6 2a00:184::2.5 > 2a00:10::1.53: UDP, length 30", { protocol: "udp", address: "2a00:10::1", port: 53 }],
    [
      "00:25:22.1 IP 93.184.0.2 > 1.1.1.1: ICMP echo request, id 1, seq 1, length 64",
      { protocol: "icmp", address: "1.1.1.1", port: undefined },
    ],
    ["00:25:22.1 IP6 2a00:184::2 > 2a00::1: ICMP6, echo request, id 1", { protocol: "icmp", address: "2a00::1", port: undefined }],
    ["00:25:22.1 IP 93.184.0.2 > 9.9.9.9: ip-proto-132 20", { protocol: "other", address: "9.9.9.9", port: undefined }],
    ["listening on inet0, link-type EN10MB", undefined],
  ];
  for (const [line, expected] of rows) assert.deepEqual(parsePacket(line), expected, line);
});

test("a machine may have a route to one address only, and no resolver", async () => {
  await using own = new AsyncDisposableStack();
  const lonely = await openInternet(own, { resolver: "none", onlyRoute: proxies.address, extras: ["tinyproxy"] });
  const get = (...words: readonly string[]) => lonely.onMachine(["/usr/bin/curl", "-sS", "--max-time", "20", ...words]);
  assert.notEqual((await get("http://93.10.0.1/")).code, 0);
  assert.equal((await get("http://only4.pkg.example.org/")).code, 6);
  assert.match(
    (await get("--proxy", `http://${proxies.address}:${proxies.tinyproxy}`, "http://only4.pkg.example.org/")).stdout,
    /"reached"/u,
  );
});

test("nothing is left of an internet: no process, namespace, mount, socket or file", async () => {
  const parent = await mkdtemp(path.join(os.tmpdir(), "gb-internets-"));
  after(() => removeScratch(parent));
  await chmod(parent, 0o755);
  const scope = { markers: [parent], directories: [parent] };
  const earlier = observe(scope);
  {
    await using own = new AsyncDisposableStack();
    const short = await openInternet(own, { extras: ["squid", "ssh"], parent });
    await short.onMachine([
      "/bin/sh",
      "-c",
      `setsid sh -c 'sleep 1000; : ${parent}' > /dev/null 2>&1 & echo left behind > ${short.directory}/file`,
    ]);
    const { processes } = diffObservations(earlier, observe(scope));
    assert.ok(processes.ours.length > 5, `${processes.ours.length} processes`);
  }
  assertNothingLeft(earlier, observe(scope));
});
