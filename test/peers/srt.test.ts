// The real srt and `glovebox srt`: the same settings and commands give the same answers, or stricter ones that the table names.
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { commandLine } from "../fixtures/command-line.ts";
import { type Internet, openInternet, type Ran } from "../fixtures/internet/internet.ts";
import { connections, ends, type Probe, reads, settings, writes } from "./srt-cases.ts";

const resources = new AsyncDisposableStack();
let internet: Internet;
const srt = path.join(import.meta.dirname, "../../node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js");
const peers = { srt: [srt], glovebox: [commandLine, "srt"] } as const;
type Peer = keyof typeof peers;

interface Places {
  readonly project: string;
  readonly beside: string;
  readonly home: string;
}

/** A project, a home and a place beside it, made anew: what one peer writes the other does not find. */
async function world(name: string): Promise<Places> {
  const base = path.join(internet.directory, name);
  const places = { project: path.join(base, "project"), beside: path.join(base, "beside"), home: path.join(base, "home") };
  const { project, beside, home } = places;
  for (const directory of ["closed/open", "deep/er", "fixed", ".git/hooks"])
    await mkdir(path.join(project, directory), { recursive: true });
  for (const directory of [path.join(beside, "closed"), path.join(beside, "out"), home]) await mkdir(directory, { recursive: true });
  const files = [
    ...["notes", "closed/secret", "closed/open/page", "deep/er/key.pem", ".env"].map((file) => path.join(project, file)),
    ...["x", "closed/x", "out/x"].map((file) => path.join(beside, file)),
    path.join(home, "x"),
  ];
  for (const file of files) await writeFile(file, "text\n");
  await symlink("closed/secret", path.join(project, "to-secret"));
  const text = JSON.stringify(settings).replaceAll("{BESIDE}", beside);
  await writeFile(path.join(base, "settings.json"), text);
  return places;
}

async function ask(peer: Peer, { project, beside, home }: Places, words: readonly string[]): Promise<Ran> {
  const argv = [...peers[peer], "-s", path.join(path.dirname(project), "settings.json"), ...words];
  return internet.onMachine(["/bin/sh", "-c", 'cd "$0" && exec "$@"', project, process.execPath, ...argv], {
    environment: {
      XDG_STATE_HOME: path.join(internet.directory, "state"),
      LANG: "C.UTF-8",
      BESIDE: beside,
      OWNHOME: home,
      // srt names its sockets there by its process id, which is one of the test internet's own: others in /tmp may have the same.
      TMPDIR: internet.directory,
    },
    timeoutMs: 120_000,
  });
}

/** The probes that answered yes. All are lines of one command: to open a sandbox for each takes long. */
async function answers(peer: Peer, probes: readonly Probe[]): Promise<readonly string[]> {
  const places = await world(peer);
  const lines = probes.map(({ line }, index) => `if (${line}) >/dev/null 2>&1; then echo "${index} yes"; else echo "${index} no"; fi`);
  // srt hands its environment on, Glovebox does not.
  const script = [`BESIDE='${places.beside}' OWNHOME='${places.home}'`, ...lines].join("\n");
  const { stdout, stderr } = await ask(peer, places, ["-c", script]);
  const said = stdout.trim().split("\n");
  assert.equal(said.length, probes.length, `${peer}: ${stdout}${stderr}`);
  return probes.flatMap(({ name }, index) => (said.includes(`${index} yes`) ? [name] : []));
}

before(async () => {
  internet = await openInternet(resources);
  await mkdir(path.join(internet.directory, "state"), { mode: 0o700 });
});
after(() => resources.disposeAsync());

test("srt and glovebox srt answer reads, writes and names of hosts alike, but for what the table names", async () => {
  const probes = [...reads, ...writes, ...connections];
  const [theirs, ours] = await Promise.all([answers("srt", probes), answers("glovebox", probes)]);
  const stricter = probes.filter((probe) => probe.stricter !== undefined).map(({ name }) => name);
  assert.deepEqual(
    theirs.filter((name) => !ours.includes(name)),
    stricter,
  );
  assert.deepEqual(
    ours.filter((name) => !theirs.includes(name)),
    [],
  );
  // A peer that refuses everything proves nothing.
  assert.ok(ours.length >= 9, ours.join(", "));
});

test("srt and glovebox srt read a command line alike and give its code back", async () => {
  const places = { srt: await world("srt-ends"), glovebox: await world("glovebox-ends") };
  for (const { argv, code } of ends) {
    const found = await Promise.all((["srt", "glovebox"] as const).map((peer) => ask(peer, places[peer], argv)));
    assert.deepEqual(
      found.map((ran) => ran.code),
      [code, code],
      `${argv.join(" ")}: ${found.map(({ stderr }) => stderr).join()}`,
    );
  }
});

test("srt and glovebox srt run nothing by settings that are not there or not understood", async () => {
  const { project } = await world("bad");
  const settingsOf = (peer: Peer, file: string): Promise<Ran> =>
    internet.onMachine([process.execPath, ...peers[peer], "-s", file, "sh", "--", "-c", "echo ran"], {
      environment: { XDG_STATE_HOME: path.join(internet.directory, "state"), TMPDIR: internet.directory },
    });
  await writeFile(path.join(project, "odd.json"), '{"network": {}}');
  for (const name of ["absent.json", "odd.json"]) {
    for (const peer of ["srt", "glovebox"] as const) {
      const { code, stdout } = await settingsOf(peer, path.join(project, name));
      // srt says 1; Glovebox what its table of errors says of a policy that cannot be read.
      assert.deepEqual({ code, stdout }, { code: peer === "srt" ? 1 : 2, stdout: "" }, `${peer} ${name}`);
    }
  }
});
