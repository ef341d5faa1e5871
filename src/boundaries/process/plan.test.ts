// The plan against a file tree made of text: which mounts and which Landlock rules a spec gives, and what is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sandboxIdSchema, taskIdSchema } from "../../contracts/ids.ts";
import type { PathPolicy, SandboxSpec } from "../../contracts/boundary.ts";
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { sandboxPath } from "./environment.ts";
import { accessInView } from "./view.ts";
import { type Beginning, planBeginning } from "./beginning.ts";
import { planSandbox, type SandboxPlan } from "./plan.ts";
import { type TextAttributes, textTree } from "./text-tree.ts";
import { smallLimits } from "../../contracts/testing/limits.ts";

const host = {
  "/bin": "-> usr/bin",
  "/usr/bin/sh": "",
  "/usr/lib/libc.so": "",
  "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nmallory:x:1001:1001::/home/mallory:/bin/sh\n",
  "/etc/group": "root:x:0:mallory\n",
  "/etc/hosts": "10.0.0.1 build-server\n",
  "/etc/shadow": "root:secret",
  "/etc/ssl/certs/ca.pem": "",
  "/etc/ssl/private/key.pem": "",
  "/etc/ssh/ssh_config": "",
  "/etc/ssh/ssh_host_rsa_key": "",
  "/etc/localtime": "-> ../usr/share/zoneinfo/UTC",
  "/usr/share/zoneinfo/UTC": "",
  "/home/ann/.ssh/id_ed25519": "",
  "/home/ann/.gitconfig": "[user]\n  name = Ann\n[alias]\n  x = !evil\n",
  "/home/ann/.cargo/bin/cargo": "",
  "/home/ann/.cargo/credentials.toml": "",
  "/home/ann/.nvm/versions/node/v26/bin/node": "",
  "/home/ann/.npmrc": "",
  "/home/ann/work/app/src/main.ts": "",
  "/home/ann/work/app/.env": "",
  "/home/ann/work/app/.git/config": "",
  "/home/ann/work/app/docs/a/b.md": "",
  "/home/ann/.local/state/glovebox/store.db": "",
  "/opt/glovebox/src/main.ts": "",
  "/tmp/project/a.txt": "",
  "/run/lock/x": "",
};

const project = "/home/ann/work/app";

function specOf(paths: Partial<PathPolicy>, options: { readonly uid?: number; readonly project?: string } = {}): SandboxSpec {
  return {
    taskId: taskIdSchema.parse("t-000000000000-000000000001"),
    sandboxId: sandboxIdSchema.parse("s-000000000000-0000000000ff"),
    projectDirectory: options.project ?? project,
    privateDirectory: "/home/ann/.local/state/glovebox/tasks/t/private",
    paths: { readDefault: "system", allowRead: [], denyRead: [], allowWrite: [options.project ?? project], denyWrite: [], ...paths },
    environment: {},
    limits: smallLimits,
    user: { uid: options.uid ?? 1000, gid: 1000, name: "ann", home: "/home/ann" },
  };
}

/** With what the sandbox begins with. */
type WholePlan = SandboxPlan & Pick<Beginning, "bwrapArgs">;

function planOf(spec: SandboxSpec, files: Readonly<Record<string, string>> = host, attributes: TextAttributes = {}): WholePlan {
  const facts = {
    tree: textTree(files, attributes),
    protectedPaths: [
      { path: "/home/ann/.local/state/glovebox", access: "hidden" },
      { path: "/opt/glovebox", access: "read-only" },
    ] as const,
    guardPath: "/opt/glovebox/build/guard",
    captivePath: "/opt/glovebox/build/captive",
    machine: { cgroups: [], processors: 4 },
  };
  const beginning = planBeginning(spec, facts);
  const plan = planSandbox(spec, facts, beginning);
  return { ...plan, layout: [...beginning.layout, ...plan.layout], bwrapArgs: beginning.bwrapArgs };
}

/** `bind-ro SOURCE`, `mask MODE` and so on: the last of what the launcher does at a path. */
const mountOf = (plan: SandboxPlan, path: string): string | undefined => {
  const at = plan.layout.findLast(([name, first, , third]) => {
    if (name === "mask") return first === `view${path}`;
    return /^(?:bind|idmap)/u.test(name) && third === `view${path}`;
  });
  if (at === undefined) return undefined;
  return at[0] === "mask" ? `mask ${at[2]}` : `${at[0]} ${at[1]}`;
};

const stageOf = (plan: SandboxPlan): string | undefined => plan.layout.find(([name]) => name === "stage")?.[1];

const rightsAt = (plan: SandboxPlan, path: string): readonly string[] =>
  plan.landlockRules
    .filter((rule) => rule.path !== "/" && (path === rule.path || path.startsWith(`${rule.path}/`)))
    .map(({ rights }) => rights);

const refusal = (spec: SandboxSpec, attributes: TextAttributes = {}): string => {
  try {
    planOf(spec, host, attributes);
  } catch (error) {
    assert.ok(error instanceof GloveboxError && error.code === "PATH_RULE_UNENFORCEABLE");
    return error.situation;
  }
  return "planned";
};

test("planSandbox() shows the system read-only and masks its secrets in both layers", () => {
  const plan = planOf(specOf({}));
  assert.equal(mountOf(plan, "/etc"), "bind-ro /etc");
  assert.equal(mountOf(plan, "/etc/shadow"), "bind-ro /dev/null");
  assert.equal(mountOf(plan, "/etc/ssl/private"), "mask 0000");
  assert.equal(mountOf(plan, "/etc/ssh/ssh_host_rsa_key"), "bind-ro /dev/null");
  assert.deepEqual(rightsAt(plan, "/etc/shadow"), []);
  assert.deepEqual(rightsAt(plan, "/etc/ssl/private/key.pem"), []);
  assert.deepEqual(rightsAt(plan, "/etc/ssh/ssh_host_rsa_key"), []);
  assert.deepEqual(rightsAt(plan, "/etc/ssl/certs/ca.pem"), ["read"]);
  assert.deepEqual(rightsAt(plan, "/usr/bin/sh"), ["read"]);
});

test("planSandbox() leaves a system secret to the host's permissions only when they keep all of it from the sandbox's user", () => {
  const closed = { mode: 0o640 };
  const secrets = { "/etc/shadow": closed, "/etc/ssl/private": { mode: 0o710 & ~0o1 }, "/etc/ssh/ssh_host_rsa_key": { mode: 0o600 } };
  const plan = planOf(specOf({}), host, secrets);
  assert.deepEqual(rightsAt(plan, "/etc/passwd"), ["read"]);
  assert.equal(plan.landlockRules.filter(({ path }) => path.startsWith("/etc")).length, 1);
  assert.ok(plan.sheet.hidden.includes("/etc/shadow"));
  const inside = planOf(specOf({}), host, { ...secrets, "/etc/ssl/private": { mode: 0o755 }, "/etc/ssl/private/key.pem": closed });
  assert.equal(mountOf(inside, "/etc/ssl/private"), undefined);
  const open = planOf(specOf({}), host, { ...secrets, "/etc/ssl/private": { mode: 0o755 } });
  assert.equal(mountOf(open, "/etc/ssl/private"), "mask 0000");
});

test("planSandbox() leaves links out of an expanded directory, since a rule on a link opens its target", () => {
  assert.deepEqual(
    planOf(specOf({})).landlockRules.filter(({ path }) => path === "/etc/localtime"),
    [],
  );
});

test("planSandbox() lets a denial beat a deeper default of ours, and a deeper rule of the person beat the denial", () => {
  const cargo = "/home/ann/.cargo";
  assert.equal(accessInView(planOf(specOf({})).view, `${cargo}/bin/cargo`), "read");
  for (const paths of [{ denyRead: [cargo] }, { denyRead: ["/home/ann"], allowRead: [project] }]) {
    assert.ok(["hidden", "absent"].includes(accessInView(planOf(specOf(paths)).view, `${cargo}/bin/cargo`)));
  }
  assert.equal(accessInView(planOf(specOf({ denyRead: [cargo], allowRead: [`${cargo}/bin`] })).view, `${cargo}/bin/cargo`), "read");
});

test("planSandbox() shows of a home the project and toolchains, never what lies beside them", () => {
  const plan = planOf(specOf({}));
  assert.equal(mountOf(plan, project), `bind ${project}`);
  assert.equal(mountOf(plan, "/home/ann/.cargo/bin"), "bind-ro /home/ann/.cargo/bin");
  assert.equal(mountOf(plan, "/home/ann/.nvm"), "bind-ro /home/ann/.nvm");
  for (const secret of [".ssh/id_ed25519", ".cargo/credentials.toml", ".npmrc", ".gitconfig"]) {
    assert.deepEqual(rightsAt(plan, `/home/ann/${secret}`), [], secret);
    assert.equal(accessInView(plan.view, `/home/ann/${secret}`), "absent", secret);
  }
});

test("planSandbox() follows a toolchain's link, unless it leads up to the home or above", () => {
  const linked = (target: string): SandboxPlan =>
    planOf(specOf({}), { ...host, "/home/ann/.pyenv": `-> ${target}`, "/srv/pyenv/bin/python": "" });
  assert.equal(mountOf(linked("/srv/pyenv"), "/srv/pyenv"), "bind-ro /srv/pyenv");
  for (const target of ["/home/ann", "/home", "/"]) assert.deepEqual(rightsAt(linked(target), "/home/ann/.ssh/id_ed25519"), [], target);
});

test("planSandbox() keeps a home absent below a wider path that a policy shows", () => {
  const plan = planOf(specOf({ allowRead: ["/"] }));
  assert.equal(mountOf(plan, "/home"), "bind-ro /home");
  assert.equal(mountOf(plan, "/home/ann"), "mask 0111");
  assert.equal(mountOf(plan, project), `bind ${project}`);
  assert.deepEqual(rightsAt(plan, "/home/ann/.ssh/id_ed25519"), []);
});

test("planSandbox() lets the deepest read rule decide, and a tie deny", () => {
  const reopened = planOf(specOf({ denyRead: [`${project}/docs`], allowRead: [`${project}/docs/a`] }));
  assert.equal(mountOf(reopened, `${project}/docs`), "mask 0111");
  assert.equal(mountOf(reopened, `${project}/docs/a`), `bind ${project}/docs/a`);
  const tie = planOf(specOf({ denyRead: [`${project}/docs`], allowRead: [`${project}/docs`] }));
  assert.equal(mountOf(tie, `${project}/docs`), "mask 0000");
  const named = planOf(specOf({ allowRead: ["/etc/ssl/private"] }));
  assert.deepEqual(rightsAt(named, "/etc/ssl/private/key.pem"), ["read"]);
});

test("planSandbox() mounts a write denial read-only and pins the directories that lead to it", () => {
  const plan = planOf(specOf({ denyWrite: [`${project}/docs/a/b.md`] }));
  assert.equal(mountOf(plan, `${project}/docs/a/b.md`), `bind-ro ${project}/docs/a/b.md`);
  assert.equal(mountOf(plan, `${project}/docs`), `bind ${project}/docs`);
  assert.equal(mountOf(plan, `${project}/docs/a`), `bind ${project}/docs/a`);
});

test("planSandbox() gives a project without a write root no right to write in either layer", () => {
  const plan = planOf(specOf({ allowWrite: [], denyRead: [`${project}/.env`] }));
  assert.equal(mountOf(plan, project), `bind-ro ${project}`);
  assert.deepEqual(rightsAt(plan, `${project}/src/main.ts`), ["read"]);
  assert.deepEqual(rightsAt(plan, `${project}/.env`), []);
});

test("planSandbox() keeps a missing denied name unreadable by Landlock where the directory is read-only", () => {
  const plan = planOf(specOf({ allowWrite: [], denyRead: [`${project}/later`] }));
  assert.deepEqual(rightsAt(plan, `${project}/later`), []);
  assert.deepEqual(rightsAt(plan, `${project}/src/main.ts`), ["read"]);
});

test("planSandbox() never mounts over a missing path", () => {
  const unmade = `${project}/docs/none/notes.md`;
  const frozen = planOf(specOf({ denyWrite: [unmade] }));
  assert.equal(mountOf(frozen, unmade), undefined);
  assert.ok(frozen.mediation.listedPaths.includes(unmade));
  assert.ok(frozen.sheet.reads.includes(unmade));
  const later = `${project}/.env.local`;
  const plan = planOf(specOf({ denyRead: [later] }));
  assert.equal(mountOf(plan, later), undefined);
  assert.deepEqual(
    [plan.mediation.listedPaths, plan.masks?.rules.map(({ text }) => text), plan.sheet.hidden.includes(later)],
    [[later], [later], true],
  );
  assert.equal(refusal(specOf({ allowWrite: [`${project}/new`] })), "wall.root-missing");
  assert.equal(mountOf(planOf(specOf({ allowRead: ["/srv/none"] })), "/srv/none"), undefined);
});

test("planSandbox() refuses layouts that would undo a rule", () => {
  assert.equal(refusal(specOf({ denyRead: ["/home/ann/work"] })), "wall.work-hidden");
  assert.equal(refusal(specOf({ allowWrite: ["/home/ann"] })), "wall.state-in-write-root");
  assert.equal(refusal(specOf({ allowWrite: ["/opt/glovebox/src"] })), "wall.root-in-installation");
  assert.equal(refusal(specOf({}, { project: "/home/ann" })), "wall.project-is-home");
  assert.equal(refusal(specOf({ allowWrite: [`${project}/.env`] })), "wall.root-not-directory");
  assert.equal(refusal(specOf({ allowRead: ["/dev/sda"] })), "wall.path-reserved");
  assert.equal(refusal(specOf({}, { project: "/srv/none" })), "wall.root-missing");
});

test("planSandbox() refuses a write root within a git directory", () => {
  const bare = {
    "/srv/bare/HEAD": "",
    "/srv/bare/objects/x": "",
    "/srv/bare/refs/x": "",
    "/srv/bare/hooks/x": "",
    "/srv/plain/.GIT/hooks/x": "",
  };
  const situation = (allowWrite: string): string | undefined => {
    try {
      planOf(specOf({ allowWrite: [allowWrite] }), { ...host, ...bare });
    } catch (error) {
      return error instanceof GloveboxError ? error.situation : String(error);
    }
    return undefined;
  };
  assert.equal(situation("/srv/bare/hooks"), "wall.root-in-git");
  assert.equal(situation("/srv/plain/.GIT/hooks"), "wall.root-in-git");
  assert.equal(situation("/srv/bare"), undefined);
  assert.equal(situation("/srv/plain"), undefined);
});

test("planSandbox() hands the guard the denials of reading in strict mode only", () => {
  assert.equal(planOf(specOf({ denyRead: [`${project}/.env`] })).mediation.reading, undefined);
  const { reading } = planOf(specOf({ denyRead: [`${project}/.env`], strict: true })).mediation;
  const texts = reading?.rules.map(({ effect, segments }) => `${effect} /${segments.map(({ text }) => text).join("/")}`);
  assert.ok(texts?.includes(`denyLiteral ${project}/.env`), String(texts));
  assert.ok(reading?.rules.every(({ segments }) => segments.every(({ kind, text }) => kind === "literal" && text !== "")));
  const glob = { text: `${project}/**/*.k`, segments: [{ kind: "any", text: "" } as const, { kind: "glob", text: "*.k" } as const] };
  const withGlob = planOf(specOf({ allowRead: ["/srv/own.k"], denyReadGlobs: [glob], strict: true })).mediation.reading;
  assert.deepEqual(withGlob?.rules.at(-1), { effect: "denyGlob", segments: glob.segments });
  assert.ok(withGlob?.exempt.includes("/srv/own.k"));
});

test("planSandbox() lists the names that a policy protects beside its own, as many as the guard takes", () => {
  const plan = planOf(specOf({ protectedNames: ["deploy.sh", ".envrc"] }));
  assert.ok(plan.mediation.listedNames.includes("deploy.sh"));
  assert.equal(plan.mediation.listedNames.filter((name) => name === ".envrc").length, 1);
  assert.equal(refusal(specOf({ protectedNames: Array.from({ length: 250 }, (_, index) => `n${index}`) })), "wall.names-too-many");
});

test("planSandbox() refuses to follow a link that a sandbox could have planted, and to freeze its name", () => {
  const files = { ...host, [`${project}/out`]: "-> /home/ann/.ssh", "/srv/data/x": "", "/home/ann/data": "-> /srv/data" };
  const situation = (paths: Partial<PathPolicy>): string => {
    try {
      planOf(specOf(paths), files);
    } catch (error) {
      assert.ok(error instanceof GloveboxError);
      return error.situation;
    }
    return "planned";
  };
  assert.equal(situation({ allowWrite: [project, `${project}/out`] }), "wall.link-in-write-root");
  assert.equal(situation({ allowRead: [`${project}/out`] }), "wall.link-in-write-root");
  assert.equal(situation({ allowRead: [`${project}/out/keys`] }), "wall.link-in-write-root");
  assert.equal(situation({ denyWrite: [`${project}/out`] }), "wall.link-in-write-root");
  assert.equal(situation({ allowRead: [`${project}/out`], allowWrite: [] }), "planned");
  assert.equal(situation({ allowRead: ["/home/ann/data"] }), "planned");
});

const sameFile = (...names: readonly string[]): TextAttributes =>
  Object.fromEntries(names.map((name) => [name, { links: 2, identity: "same" }]));

test("planSandbox() refuses a denied file whose second name a command could use", () => {
  const env = `${project}/.env`;
  const inner = `${project}/docs/a/b.md`;
  const source = `${project}/src/main.ts`;
  const rows: readonly (readonly [Partial<PathPolicy>, readonly [string, string], string])[] = [
    [{ denyRead: [env] }, [env, source], "wall.second-name"],
    [{ denyRead: [`${project}/docs`] }, [inner, source], "wall.second-name"],
    [{ denyRead: [`${project}/docs`], allowRead: [`${project}/docs/a`] }, [inner, source], "planned"],
    [{ denyRead: [`${project}/docs`, env] }, [inner, env], "planned"],
    [{ denyRead: [env] }, [env, "/home/ann/.ssh/id_ed25519"], "planned"],
    [{ denyRead: [env] }, [env, "/usr/bin/sh"], "wall.second-name"],
    [{ denyWrite: [env] }, [env, source], "wall.second-name"],
    [{ denyWrite: [`${project}/.git`] }, [`${project}/.git/config`, inner], "wall.second-name"],
    [{ denyWrite: [`${project}/.git`] }, [`${project}/.git/config`, "/usr/bin/sh"], "planned"],
    [{ denyWrite: ["/home/ann/.ssh"] }, ["/home/ann/.ssh/id_ed25519", source], "wall.second-name"],
    [{ denyWrite: [env], allowWrite: [] }, [env, source], "planned"],
  ];
  for (const [paths, names, expected] of rows) {
    assert.equal(refusal(specOf(paths), sameFile(...names)), expected, `${JSON.stringify(paths)} ${names.join(" = ")}`);
  }
  assert.equal(refusal(specOf({ denyRead: [env] })), "planned");
});

test("planSandbox() refuses a closed directory only where a second name may lie in it", () => {
  const closed = { [`${project}/src`]: { mode: 0 } };
  const linked = { [`${project}/.env`]: { links: 2 } };
  assert.equal(refusal(specOf({ denyRead: [`${project}/.env`] }), { ...closed, ...linked }), "wall.names-unknown");
  assert.equal(refusal(specOf({ denyRead: [`${project}/src`] }), { ...closed, ...linked }), "wall.names-unknown");
  assert.equal(refusal(specOf({ denyRead: [`${project}/.env`] }), closed), "planned");
  assert.equal(refusal(specOf({ denyRead: [`${project}/src`] }), closed), "planned");
});

test("planSandbox() applies a rule about a link to the link and to its target", () => {
  const files = { ...host, "/home/ann/secrets/token": "", [`${project}/token`]: "-> /home/ann/secrets/token" };
  const plan = planOf(specOf({ allowRead: ["/home/ann/secrets"], denyRead: [`${project}/token`] }), files);
  assert.equal(mountOf(plan, "/home/ann/secrets/token"), "bind-ro /dev/null");
  assert.deepEqual(rightsAt(plan, "/home/ann/secrets/token"), []);
  assert.deepEqual(plan.mediation.listedPaths, [`${project}/token`]);
});

test("planSandbox() protects the installation in a write root and hides the state under a shown home", () => {
  const own = planOf(specOf({ allowWrite: ["/opt/glovebox"] }, { project: "/opt/glovebox" }));
  assert.equal(accessInView(own.view, "/opt/glovebox/src/main.ts"), "read");
  const shown = planOf(specOf({ allowRead: ["/home/ann", "/home/ann/.local/state/glovebox/store.db"] }));
  assert.equal(mountOf(shown, "/home/ann/.local/state/glovebox"), "mask 0000");
  assert.deepEqual(rightsAt(shown, "/home/ann/.local/state/glovebox/store.db"), []);
});

test("planSandbox() gives /tmp no Landlock right, so a read-only project below it inherits none", () => {
  const plan = planOf(specOf({ allowWrite: [] }, { project: "/tmp/project" }));
  assert.deepEqual(rightsAt(plan, "/tmp/project/a.txt"), ["read"]);
  const temporary = ({ layout }: SandboxPlan) => layout.filter(([name, path]) => name === "link" && path === "view/tmp");
  assert.deepEqual(temporary(plan), []);
  assert.deepEqual(temporary(planOf(specOf({}))), [["link", "view/tmp", "run/sandbox/tmp"]]);
});

test("planSandbox() passes root's binds through the launcher and leaves the system where it is", () => {
  const plan = planOf(specOf({ denyWrite: [`${project}/docs`] }, { uid: 0 }));
  assert.equal(plan.identity.hostUid, 1_879_048_192 + 255);
  const clone = plan.layout.find(([name, path]) => name === "idmap" && path === project)?.[3];
  assert.equal(mountOf(plan, project), `bind /dev/shm/${clone}`);
  assert.equal(mountOf(plan, `${project}/docs`), `bind-ro /dev/shm/${clone}/docs`);
  assert.equal(mountOf(plan, "/usr"), "bind-ro /usr");
  assert.equal(mountOf(planOf(specOf({}, { uid: 0 })), project), `idmap ${project}`, "what is shown once needs no clone of its own");
  assert.ok(planOf(specOf({})).layout.every(([name]) => !/^(?:uid|join|idmap)/u.test(name)));
});

test("planSandbox() stages where no path is ever shown, since a mount over one would hide it", () => {
  assert.equal(stageOf(planOf(specOf({}), { ...host, "/dev/shm/x": "" })), "/dev/shm");
  assert.equal(stageOf(planOf(specOf({}), { ...host, "/dev/shm": "-> ../run/shm", "/dev/mqueue/x": "" })), "/dev/mqueue");
  assert.equal(refusal(specOf({ allowRead: ["/dev/shm"] })), "wall.path-reserved");
});

test("planSandbox() writes account files that name no other person of the host", () => {
  const passwd = planOf(specOf({})).layout.find(([name, path]) => name === "text" && path === "view/etc/passwd");
  assert.equal(passwd?.[2], "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000:ann:/run/sandbox/home:/bin/sh\n");
});

test("planSandbox() empties the lists of the user's keys where the kernel has them", () => {
  const emptied = (files: Readonly<Record<string, string>>) =>
    planOf(specOf({}), files).bwrapArgs.filter((_, index, all) => all[index - 1] === "/dev/shm/empty");
  assert.deepEqual(emptied(host), []);
  assert.deepEqual(emptied({ ...host, "/proc/keys": "" }), ["/proc/keys"]);
});

test("sandboxPath() keeps what is visible in the caller's order and drops the rest", () => {
  const { pathFacts } = planOf(specOf({}));
  const path = [
    "/home/ann/bin",
    "/home/ann/.nvm/versions/node/v26/bin",
    "relative",
    "/home/ann/.cargo/bin/",
    "/bin",
    "/usr/bin",
    "/usr/bin",
  ].join(":");
  assert.equal(sandboxPath(path, pathFacts, new Map()), "/home/ann/.nvm/versions/node/v26/bin:/home/ann/.cargo/bin:/bin:/usr/bin");
  assert.equal(sandboxPath("/home/ann/.ssh", pathFacts, new Map()), "/usr/local/bin:/usr/bin:/bin");
});
