// Rules that only look and rules with hours, by every way into the gate: what the person reads of them, and where they may not stand.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { commandLine } from "../fixtures/command-line.ts";
import { vias } from "../fixtures/internet/egress-cases.ts";
import { type Gloved, makeGloved } from "../fixtures/internet/gloved.ts";
import { type Internet, openInternet } from "../fixtures/internet/internet.ts";
import { type Probe, tryAll } from "../fixtures/internet/probes.ts";

const watch = `acceptRisk: [{what: egress.observe, why: to learn what it needs, owner: me, until: "2999-12-31"}]
egress:
  - {id: watch, hosts: ["**.test", "*.pkg.example.org"], verdict: deny, mode: observe, protocols: [https, http]}
  - {id: later, hosts: [api.example.com], verdict: allow, protocols: [https, http], window: {from: "2999-01-01T00:00:00Z"}}
`;

const resources = new AsyncDisposableStack();
let internet: Internet;
let gloved: Gloved;

before(async () => {
  internet = await openInternet(resources);
  const own = path.join(internet.home, ".config/glovebox");
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(path.join(own, "policy.yaml"), `apiVersion: glovebox/v1\n${watch}`, { mode: 0o600 });
  gloved = await makeGloved(internet, "limits: {egressConnections: 60}\n");
});
after(() => resources.disposeAsync());

const probesFor = (host: string): readonly Probe[] =>
  vias.map((via) => ({ token: `${host}-${via}`, via, host, port: via === "http" ? 80 : 443 }));

test("what a rule denies and only looks at arrives, what is not public and what is out of hours does not, by CONNECT, plain HTTP, SOCKS5 and capture", async () => {
  const [watched, refused] = [["evil.test"], ["loop.pkg.example.org", "meta.pkg.example.org", "mixed.pkg.example.org", "api.example.com"]];
  const said = await tryAll(internet, gloved, [...watched, ...refused].flatMap(probesFor));
  const complaints = [...said.values()].filter(({ token, arrived }) => arrived !== watched.some((host) => token.startsWith(`${host}-`)));
  assert.deepEqual(complaints, []);
  assert.deepEqual([said.get("api.example.com-connect")?.said, said.get("api.example.com-http")?.said], ["403 window", "403 window"]);
});

test("the run, its list, its draft and the sheet name what was only looked at, and when a rule holds again", async () => {
  const curl = "curl -sS --max-time 20 -o /dev/null";
  const { stderr } = await gloved.run(["/bin/sh", "-c", `${curl} http://evil.test/; ${curl} https://api.example.com/`]);
  assert.match(stderr, /1 connections were let through that a rule denies \(mode: observe\)/u);
  assert.match(stderr, /api\.example\.com port 443: rule later does not hold at this time .* from 2999-01-01T00:00:00/u);
  const task = /glovebox egress draft (t-\S+)/u.exec(stderr)?.[1] ?? "none";
  assert.match(
    (await gloved.glovebox("egress", "ls", task)).stdout,
    /^watched, although rule watch denies it: evil\.test port 80 as http/mu,
  );
  assert.match(
    (await gloved.glovebox("egress", "tail", task)).stdout,
    /let through evil\.test port 80, which rule watch denies: observed/u,
  );
  const draft = await gloved.glovebox("egress", "draft", task);
  assert.equal(
    draft.stdout,
    "apiVersion: glovebox/v1\negress:\n  - {id: evil.test-80, hosts: [evil.test], protocols: [http], verdict: allow}\n",
  );
  const { stdout: sheet } = await gloved.glovebox("explain", task);
  assert.match(sheet, /evil\.test port 80 as http was let through 1 times, although rule watch denies it/u);
  assert.match(sheet, /rule watch\), which denies it and only looks before 3000-01-01/u);
  const { stdout: place } = await gloved.glovebox("egress", "explain", "evil.test:443");
  assert.match(place, /let through, although rule watch denies it: it only observes/u);
  assert.match((await gloved.glovebox("egress", "explain", "api.example.com")).stdout, /rule later holds again from 2999-01-01/u);
  assert.match((await gloved.glovebox("explain")).stdout, /accepted the risk egress\.observe until 2999-12-31.*owner: me/u);
});

test("prove holds every claim where something leaves only because a rule looks, or a person may grant it", async () => {
  const file = path.join(internet.directory, "asks.yaml");
  await writeFile(file, "apiVersion: glovebox/v1\negress: [{id: asked, hosts: [api.example.com], verdict: ask}]\n");
  const { environment, project } = gloved;
  for (const more of [[], ["--policy", file]]) {
    const argv = [process.execPath, commandLine, "prove", ...more];
    const { code, stdout } = await internet.onMachine(argv, { environment, cwd: project, timeoutMs: 120_000 });
    assert.equal(code, 0, stdout);
  }
});

test("neither a project nor a file that is named in the call may only look", async () => {
  const file = path.join(gloved.project, "glovebox.yaml");
  await writeFile(path.join(internet.directory, "project.yaml"), `apiVersion: glovebox/v1\n${watch}`);
  const named = await gloved.run(["/bin/true"]);
  assert.deepEqual([named.code, named.stderr.includes("egress[0].mode")], [2, true], named.stderr);
  await writeFile(file, `apiVersion: glovebox/v1\n${watch}`);
  const checked = await gloved.glovebox("policy", "check");
  assert.notEqual(checked.code, 0, checked.stdout);
});
