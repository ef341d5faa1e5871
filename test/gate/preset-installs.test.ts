// Real installs with the real clients, from local indexes of a test internet, through the same rules as everything else. Nothing but the
// user's own registry is reached, and none of the user's secrets arrives there.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { type Internet, openInternet, type Ran } from "../fixtures/internet/internet.ts";
import { openPackageIndexes, type PackageIndexes } from "../fixtures/packages/package-indexes.ts";

const glovebox = path.join(import.meta.dirname, "..", "..", "glovebox");
const resources = new AsyncDisposableStack();
let internet: Internet;
let indexes: PackageIndexes;

before(async () => {
  internet = await openInternet(resources);
  indexes = await openPackageIndexes(internet);
});
after(() => resources.disposeAsync());

interface Install {
  readonly preset: string;
  readonly files: Readonly<Record<string, string>>;
  readonly script: string;
  /** What the installed thing says. */
  readonly says: string;
  /** A request that the index got. */
  readonly request: RegExp;
  /** The same from what an earlier task brought; undefined: the ecosystem shares no cache. */
  readonly again?: string;
}

const installs: readonly Install[] = [
  {
    preset: "node",
    files: { "package.json": '{"name": "demo", "private": true, "dependencies": {"hello-box": "^1.0.0"}}' },
    script: `npm install --no-audit --no-fund >&2 && node -p 'require("hello-box")'`,
    says: "from the registry",
    request: /^npm\.b\.pkg\.example\.org:9443 \/npm\/hello-box-1\.0\.0\.tgz /u,
    again: `rm -rf node_modules && npm install --no-audit --no-fund >&2 && node -p 'require("hello-box")'`,
  },
  {
    preset: "python",
    files: { "requirements.txt": "hello-box==1.0\n" },
    script: "pip3 install --target lib -r requirements.txt >&2 && PYTHONPATH=lib python3 -c 'import hello_box; print(hello_box.word)'",
    says: "from the index",
    request: /^pip\.b\.pkg\.example\.org:9443 \/simple\/hello_box-1\.0-py3-none-any\.whl/u,
  },
  {
    preset: "rust",
    files: {
      "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\nhello-box = "1"\n',
      "src/main.rs": 'fn main() { println!("{}", hello_box::WORD); }\n',
    },
    script: "cargo run --quiet",
    says: "from the crates",
    request: /^git\.pkg\.example\.org:9443 \/crates\/hello-box-1\.0\.0\.crate /u,
    again: "rm -rf target && cargo run --quiet",
  },
  {
    preset: "go",
    files: {
      "go.mod": "module demo\n\ngo 1.18\n",
      "main.go": 'package main\n\nimport "example.org/hello"\n\nfunc main() { println(hello.Word) }\n',
    },
    script: "go get example.org/hello@v1.0.0 >&2 && go run . 2>&1",
    says: "from the proxy",
    request: /^go\.b\.pkg\.example\.org:9443 \/go\/example\.org\/hello\/@v\/v1\.0\.0\.zip /u,
    again: "go get example.org/hello@v1.0.0 >&2 && go run . 2>&1",
  },
  {
    preset: "java",
    files: {
      "pom.xml":
        "<project><modelVersion>4.0.0</modelVersion><parent><groupId>org.example</groupId><artifactId>hello-box</artifactId><version>1.0</version>" +
        "<relativePath/></parent><artifactId>demo</artifactId><packaging>pom</packaging></project>",
    },
    script: "mvn -B validate >&2 && sed -n 's/.*<word>\\(.*\\)<.word>.*/\\1/p' ~/.m2/repository/org/example/hello-box/1.0/*.pom",
    says: "from the repository",
    request: /^mvn\.b\.pkg\.example\.org:9080 \/m2\/org\/example\/hello-box\/1\.0\/hello-box-1\.0\.pom /u,
    again: "mvn -B validate >&2 && sed -n 's/.*<word>\\(.*\\)<.word>.*/\\1/p' ~/.m2/repository/org/example/hello-box/1.0/*.pom",
  },
  {
    preset: "debian",
    files: {},
    script: "apt-get update >&2 && apt-get download hello-box >&2 && dpkg-deb --field hello-box_1.0_all.deb Description",
    says: "from the archive",
    request: /^deb\.b\.pkg\.example\.org:9080 \/debian\/(?:\.\/)?hello-box_1\.0_all\.deb /u,
  },
];

interface Where {
  readonly project: string;
  readonly files: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs words on the machine in a project of its own, as the user who configured the indexes. */
async function inProject({ project: name, files, environment = {} }: Where, argv: readonly string[]): Promise<Ran> {
  const project = path.join(internet.directory, "projects", name);
  await mkdir(project, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, file)), { recursive: true });
    await writeFile(path.join(project, file), text);
  }
  const own = { XDG_STATE_HOME: path.join(internet.directory, "state"), HOME: internet.directory };
  return internet.onMachine(argv, { environment: { ...indexes.environment, ...own, ...environment }, cwd: project, timeoutMs: 120_000 });
}

const behind = (preset: string, script: string, options: readonly string[] = []): readonly string[] => {
  return [glovebox, "run", ...options, "--preset", preset, "--", "/bin/sh", "-c", script];
};
/** Plain and TLS, both of names that no rule names. */
const elsewhere = "curl -sSf --max-time 20 http://api.example.com/ || curl -sSkf --max-time 20 https://evil.test/";

test("the indexes do get the user's secrets from a client that has them", async () => {
  const [npm] = installs;
  const ran = await inProject({ project: "control", files: npm?.files ?? {} }, ["/bin/sh", "-c", npm?.script ?? ""]);
  assert.equal(ran.stdout.trim(), npm?.says, ran.stderr);
  assert.ok(
    indexes.requests.some((request) => request.endsWith("Bearer S3CRET-npm")),
    indexes.requests.join("\n"),
  );
});

for (const install of installs) {
  test(`preset ${install.preset}: a real install from the user's registry, which gets no secret; another host is refused`, async () => {
    const before = indexes.requests.length;
    const where = { project: install.preset, files: install.files };
    const { code, stdout, stderr } = await inProject(where, behind(install.preset, install.script));
    assert.equal(stdout.trim(), install.says, stderr);
    assert.equal(code, 0, stderr);
    const requests = indexes.requests.slice(before);
    assert.ok(
      requests.some((request) => install.request.test(request)),
      requests.join("\n"),
    );
    assert.ok(
      requests.every((request) => request.endsWith(" -")),
      requests.join("\n"),
    );
    const other = await inProject(where, behind(install.preset, elsewhere));
    assert.notEqual(other.code, 0, other.stdout);
  });
}

test("preset python: a registry whose name has a private address is reached, because the person configured it", async () => {
  const environment = { PIP_INDEX_URL: "https://private.pkg.example.org:9443/simple" };
  const python = installs.find(({ preset }) => preset === "python");
  const where = { project: "company", files: python?.files ?? {}, environment };
  const { stdout, stderr } = await inProject(where, behind("python", python?.script ?? ""));
  assert.equal(stdout.trim(), python?.says, stderr);
  assert.ok(indexes.requests.some((request) => request.startsWith("private.pkg.example.org:9443 /simple/hello_box")));
});

test("preset node: a registry of the project's choice is not reached, and the person reads which rule would allow it", async () => {
  const [npm] = installs;
  const files = { ...npm?.files, ".npmrc": "registry=https://planted.pkg.example.org:9443/npm/\nfetch-retries=0\n" };
  const { code, stderr } = await inProject({ project: "planted", files }, behind("node", npm?.script ?? ""));
  assert.notEqual(code, 0);
  assert.match(stderr, /\.npmrc:1 asks for planted\.pkg\.example\.org:9443 .*hosts: \["planted\.pkg\.example\.org"\], ports: \[9443\]/u);
  assert.ok(!indexes.requests.some((request) => request.startsWith("planted")));
});

test("a container installs from the user's registry into an empty workspace, and the next one from what that brought", async () => {
  const [npm] = installs;
  const tarballs = (): number => indexes.requests.filter((request) => npm?.request.test(request)).length;
  const fetched: number[] = [];
  for (const runtime of ["runc", "crun"]) {
    const before = tarballs();
    const script = `echo '${npm?.files["package.json"]}' > package.json; ${npm?.script}; ${elsewhere}`;
    const words = behind("node", script, ["--boundary", "container", "--runtime", runtime]);
    const { code, stdout, stderr } = await inProject({ project: "contained", files: {} }, words);
    assert.deepEqual([code === 0, stdout.trim()], [false, npm?.says], stderr);
    assert.match(stderr, /api\.example\.com port 80: no rule allows it .* egress: \[/u);
    fetched.push(tarballs() - before);
  }
  assert.deepEqual(fetched, [1, 0]);
});

const demo = (preset: string): Install => {
  const found = installs.find((install) => install.preset === preset);
  assert.ok(found !== undefined);
  return found;
};
const again = (preset: string): Promise<Ran> => inProject({ project: preset, files: {} }, behind(preset, demo(preset).again ?? ""));

function cacheNamed({ stdout }: Ran, project: string): { readonly id: string } {
  const { caches } = JSON.parse(stdout) as { readonly caches: readonly { readonly id: string; readonly project: string }[] };
  const found = caches.find((cache) => path.basename(cache.project) === project);
  assert.ok(found !== undefined, stdout);
  return found;
}

test("preset python: the project's next task asks for no file that an earlier one has brought", async () => {
  const before = indexes.requests.length;
  const { stdout, stderr } = await inProject({ project: "python", files: {} }, behind("python", `rm -rf lib && ${demo("python").script}`));
  assert.equal(stdout.trim(), "from the index", stderr);
  const requests = indexes.requests.slice(before);
  assert.ok(requests.length > 0 && !requests.some((request) => request.includes(".whl")), requests.join("\n"));
});

test("with the index gone, a project's next task installs from what an earlier one brought, and both records say that they share it", async () => {
  await indexes.stop();
  const before = indexes.requests.length;
  const runs = installs
    .filter((install) => install.again !== undefined)
    .map(async ({ preset, says }) => {
      const { code, stdout, stderr } = await again(preset);
      assert.deepEqual([code, stdout.trim()], [0, says], `${preset}: ${stderr}`);
    });
  await Promise.all(runs);
  assert.equal(indexes.requests.length, before, "nothing answers");
  const { stdout } = await inProject({ project: "node", files: {} }, [glovebox, "ledger", "ls", "--json", "--limit", "500"]);
  assert.match(stdout, /"caches": \[\s*"npm",\s*"pnpm",\s*"yarn"\s*\]/u);
  const ids = [...stdout.matchAll(/"id": "(c-[0-9a-f]{32})",\s*"names": \[\s*"npm",\s*"pnpm",\s*"yarn"\s*\]/gu)].map(([, id]) => id);
  const { id } = cacheNamed(await inProject({ project: "node", files: {} }, [glovebox, "cache", "ls", "--json"]), "node");
  assert.ok(ids.filter((each) => each === id).length >= 2, ids.join("\n"));
});

test("with the index gone, neither another project nor a task without the key has anything of it", async () => {
  const npm = demo("node");
  const offline = `npm install --no-audit --no-fund --fetch-retries=0 >&2`;
  const other = inProject({ project: "node-other", files: npm.files }, behind("node", `find ~/.npm/_cacache -type f; ${offline}`));
  const alone = path.join(internet.directory, "alone.yaml");
  await writeFile(alone, "apiVersion: glovebox/v1\npresets: [node]\nfilesystem: {caches: []}\n");
  const words = [glovebox, "run", "--policy", alone, "--", "/bin/sh", "-c", `find ~ -name _cacache; rm -rf node_modules; ${offline}`];
  for (const ran of await Promise.all([other, inProject({ project: "node", files: {} }, words)]))
    assert.deepEqual([ran.code === 0, ran.stdout], [false, ""], ran.stderr);
  assert.equal((await again("node")).code, 0, "what the two did to their own changed nothing here");
});

test("presets: no other host than the user's registries was reached", () => {
  const reached = internet.arrivals.flatMap((arrival) => (arrival.kind === "http" ? [arrival.host] : []));
  assert.deepEqual([...new Set(reached)], ["git.pkg.example.org"]);
});
