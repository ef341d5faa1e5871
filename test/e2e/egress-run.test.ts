// `glovebox run` under rules about connections, in front of the test internet: real gate, real resolver, real clients.
import assert from "node:assert/strict";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { z } from "zod";
import { commandLine } from "../fixtures/command-line.ts";
import { startLoopbackCanary } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet, type Ran } from "../fixtures/internet/internet.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
let project = "";

const policy = `apiVersion: glovebox/v1
allowLocal: ["private.pkg.example.org:443", "127.0.0.1:8080"]
limits: {egressConnections: 8}
egress:
  - {id: api, hosts: [api.example.com], verdict: allow, maxRequest: 64KiB}
  - {id: plain, hosts: [api.example.com], protocols: [http], ports: [80], verdict: allow, maxRequest: 32KiB}
  - {id: pkg, hosts: ["*.pkg.example.org"], verdict: allow}
  - {id: no, hosts: [git.pkg.example.org], verdict: deny}
`;

before(async () => {
  internet = await openInternet(resources);
  project = path.join(internet.directory, "project");
  await mkdir(project);
  await mkdir(path.join(internet.directory, "state"), { mode: 0o700 });
  await copyFile(internet.authority, path.join(project, "authority.pem"));
  await writeFile(path.join(internet.directory, "policy.yaml"), policy);
});
after(() => resources.disposeAsync());

/** Runs a shell script in a sandbox of the product. */
function glovebox(script: string, environment: Record<string, string> = {}): Promise<Ran> {
  const words = ["run", "--policy", path.join(internet.directory, "policy.yaml"), "--project", project, "--", "/bin/sh", "-c", script];
  return internet.onMachine(["/bin/sh", "-c", 'cd "$0" && exec "$@"', project, process.execPath, commandLine, ...words], {
    environment: { XDG_STATE_HOME: path.join(internet.directory, "state"), LANG: "C.UTF-8", ...environment },
    timeoutMs: 120_000,
  });
}

/** A command of the product beside the sandboxes. */
function onMachine(...words: readonly string[]): Promise<Ran> {
  return internet.onMachine([process.execPath, commandLine, ...words], {
    environment: { XDG_STATE_HOME: path.join(internet.directory, "state"), LANG: "C.UTF-8" },
  });
}

const recordsSchema = z.object({
  records: z.array(z.object({ type: z.string(), body: z.object({ reason: z.unknown(), via: z.unknown() }).partial() })),
});

/** How each upload came that the ledger says was stopped for its size, the newest first. */
async function stopsInLedger(): Promise<readonly unknown[]> {
  const { stdout } = await onMachine("ledger", "ls", "--json");
  const { records } = recordsSchema.parse(JSON.parse(stdout));
  return records.flatMap(({ type, body }) => (type === "egress.decision" && body.reason === "limit-request" ? [body.via] : []));
}

const curl = "curl -sS --max-time 20 --cacert authority.pem";
const direct = `env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY ${curl}`;

test("what the rules allow is reached, and nothing else, with and without proxy variables", async () => {
  for (const client of [curl, direct]) {
    const { stdout } = await glovebox(
      `${client} https://api.example.com/a; ${client} http://api.example.com/b; ${client} https://a.b.pkg.example.org/c`,
    );
    assert.match(stdout, /"sni":"api.example.com".*"url":"\/a"/u);
    assert.match(stdout, /"host":"api.example.com".*"url":"\/b"/u);
    assert.match(stdout, /"sni":"a.b.pkg.example.org"/u);
  }
  const before = internet.arrivals.length;
  const { stdout, stderr } = await glovebox(
    [
      `${direct} https://evil.test/`,
      `${direct} http://93.10.0.1/`,
      `${direct} http://api.example.com:81/`,
      `${direct} https://pkg.example.org/`,
      `${direct} https://git.pkg.example.org/`,
      `${direct} https://mixed.pkg.example.org/`,
      `${direct} -k --connect-to api.example.com:443:api.example.com:443 --resolve evil.test:443:93.10.0.1 https://evil.test/`,
      `${curl} https://evil.test/`,
      "echo > /dev/udp/93.1.1.1/443",
    ].join("; "),
  );
  assert.equal(stdout, "");
  assert.deepEqual(internet.arrivals.slice(before), []);
  assert.ok(stderr.includes("connections were refused") && stderr.includes("rule no denies it"), stderr);
});

test("a refusal names the program, the place, why, and the line that would allow it", async () => {
  const { stderr } = await glovebox(
    `${direct} http://93.10.0.1/; ${curl} https://evil.test/; ${direct} http://api.example.com:81/; echo > /dev/udp/93.1.1.1/443`,
  );
  for (const words of [
    "93.10.0.1 port 80: names are allowed, not addresses (1 times, curl)",
    "evil.test port 443: no rule allows it (1 times, curl)",
    "hosts: [evil.test], verdict: allow",
    "api.example.com port 81: no rule allows it",
  ])
    assert.ok(stderr.includes(words), `${words}\n${stderr}`);
});

test("a private place is reached by the name that allowLocal opens, and only by it", async () => {
  const { stdout } = await glovebox(
    `${direct} -k https://private.pkg.example.org/; ${direct} -k https://10.1.2.3/; ${direct} -k https://inward.pkg.example.org/`,
  );
  assert.equal(stdout.match(/"reached"/gu)?.length, 1);
});

test("a port of the machine's loopback that allowLocal opens is reached by every kind of client, and no other port", async () => {
  const canary = await startLoopbackCanary(internet);
  const place = "http://host.glovebox.internal:8080/";
  const { stdout } = await glovebox(
    `${curl} ${place}; ${direct} ${place}; ${direct} --proxytunnel -x 198.18.0.1:3128 ${place}; ${direct} --socks5 198.18.0.1:1080 ${place}`,
  );
  assert.equal(stdout, "canary".repeat(4));
  assert.deepEqual(await canary.reached(), Array<string>(4).fill("reached ::ffff:127.0.0.1 8080"));
  const others = ["127.0.0.1:8080", "host.glovebox.internal", "host.docker.internal:8080", "x.host.glovebox.internal:8080"];
  const refused = await glovebox(others.flatMap((other) => [`${curl} http://${other}/`, `${direct} http://${other}/`]).join("; "));
  // Only who asks the gate for it hears why.
  assert.deepEqual(
    [...refused.stdout.matchAll(/refused a connection to (?<place>\S+)\.\n/gu)].map(({ groups }) => groups?.["place"]),
    ["host.glovebox.internal:80", "host.docker.internal:8080", "x.host.glovebox.internal:8080"],
  );
  assert.ok(!refused.stdout.includes("canary"), refused.stdout);
  assert.ok(refused.stderr.includes("allowLocal: [127.0.0.1:80]"), refused.stderr);
  assert.equal((await canary.reached()).length, 4);
});

test("an upload beyond the size of its rule stops, and says which rule", async () => {
  const { stdout, stderr } = await glovebox(`head -c 300000 /dev/zero | ${direct} --data-binary @- https://api.example.com/upload`);
  assert.ok(!stdout.includes("300000 bytes"));
  assert.ok(stderr.includes("rule api lets a connection send"), stderr);
});

test("a plain upload beyond the size of its rule stops too, asked of the gate and captured, and each stop is recorded", async () => {
  const upload = (client: string, bytes: number): string =>
    `head -c ${bytes} /dev/zero | ${client} --data-binary @- http://api.example.com/upload`;
  const within = await glovebox(`${upload(curl, 30_000)}; ${upload(direct, 30_000)}`);
  assert.equal(within.stdout, "30000 bytes\n".repeat(2));
  const before = await stopsInLedger();
  const { stdout, stderr } = await glovebox(`${upload(curl, 300_000)}; ${upload(direct, 300_000)}`);
  assert.ok(!stdout.includes("bytes"), stdout);
  assert.equal(
    stderr.match(/api\.example\.com port 80: more was sent than rule plain lets a connection send \(1 times, curl\)/gu)?.length,
    2,
    stderr,
  );
  assert.deepEqual(await stopsInLedger(), ["captured", "http", ...before]);
});

test("what a task did is on its sheet and in the ledger", async () => {
  const { stderr } = await glovebox(`${direct} https://api.example.com/a`, {});
  assert.equal(stderr, "");
  const { stdout } = await onMachine("ledger", "ls", "--json");
  assert.ok(stdout.includes("egress.decision") && stdout.includes("execution.egress"), stdout.slice(0, 500));
  assert.equal((await onMachine("ledger", "verify")).code, 0);
});

test("prove holds every claim where something may leave", async () => {
  const words = ["prove", "--policy", path.join(internet.directory, "policy.yaml")];
  const { code, stdout } = await internet.onMachine(
    ["/bin/sh", "-c", 'cd "$0" && exec "$@"', project, process.execPath, commandLine, ...words],
    {
      environment: { XDG_STATE_HOME: path.join(internet.directory, "state"), LANG: "C.UTF-8" },
      timeoutMs: 120_000,
    },
  );
  assert.equal(code, 0, stdout);
  assert.ok(stdout.includes("leads to the gate alone"), stdout);
});

test("a client that looks names up itself and then uses a proxy reaches what the name stands for", async () => {
  const { stdout } = await glovebox(
    `${direct} --socks5 198.18.0.1:1080 https://api.example.com/a; ${direct} --socks5 198.18.0.1:1080 http://93.10.0.1/`,
  );
  assert.equal(stdout.match(/"reached"/gu)?.length, 1);
});
