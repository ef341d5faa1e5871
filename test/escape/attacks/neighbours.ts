// Neighbours of the other rows: the same places reached with other means, mostly those of a script.
import { once } from "node:events";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { capture } from "../../../src/kit/spawn.ts";
import type { Attack, Scene, Stage } from "../harness/attack.ts";
import { firstLine, listenStream, startPeer, uniqueWord } from "../harness/peers.ts";
import { changesFile, hostContent, hostHas, makesFile, readsCanary } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;
const victim = "outside/victim.txt";

const files: readonly Attack[] = [
  {
    name: "opens a file again for writing through the descriptor that it reads it with",
    families: [1, 13],
    program: { sh: `exec 7< "$1" && echo changed > /proc/self/fd/7` },
    heldBy: bothLayers,
    stage: changesFile("home/project/readme.txt"),
  },
  {
    name: "puts a program before the system's into the caller's own directory of programs",
    families: [30],
    program: { sh: `mkdir -p "\${1%/*}" && echo planted > "$1"` },
    heldBy: bothLayers,
    stage: makesFile("home/.local/bin/git"),
  },
  {
    name: "puts a start file for every shell of the machine into /etc",
    families: [26, 102],
    users: ["root"],
    program: { sh: `echo planted > "$1"` },
    heldBy: bothLayers,
    stage: ({ resources }) => {
      const target = `/etc/profile.d/${uniqueWord()}.sh`;
      resources.defer(() => rm(target, { force: true }));
      return { arguments: [target], succeeded: () => hostHas(target) };
    },
  },
  {
    name: "rewrites the instructions of an agent that the policy protects",
    families: [34],
    program: { sh: `printf 'planted\\n' > "$1.new"; mv "$1.new" "$1" || printf 'planted\\n' > "$1"` },
    heldBy: ["inner"],
    paths: ({ paths }) => ({ ...paths, protectedNames: ["AGENTS.md", "CLAUDE.md"] }),
    stage: async (scene) => {
      await writeFile(path.join(scene.ground.out, "AGENTS.md"), "the host's own\n", { mode: 0o666 });
      return changesFile("home/project/out/AGENTS.md")(scene);
    },
  },
  {
    name: "reads a denied directory through a chain of relative links",
    families: [2],
    program: { sh: `ln -s ../vault "$2/one" && ln -s one "$2/two" && cat "$2/two/inner.txt"` },
    heldBy: bothLayers,
    stage: readsCanary("home/project/vault/inner.txt", (ground) => [ground.out]),
  },
  {
    name: "writes through a link that the host left in the write root",
    families: [2],
    program: { sh: `echo changed > "$2/readme.txt"` },
    heldBy: bothLayers,
    stage: async (scene) => {
      const way = path.join(scene.ground.out, "way");
      await symlink(scene.ground.project, way);
      return changesFile("home/project/readme.txt", () => [way])(scene);
    },
  },
  {
    name: "writes a protected file after renaming the directory above it",
    families: [5],
    program: { sh: `mv "\${1%/*}" "$2/moved" && echo changed > "$2/moved/kept.txt" && mv "$2/moved" "\${1%/*}"` },
    heldBy: bothLayers,
    paths: ({ paths, out }) => ({ ...paths, denyWrite: [...paths.denyWrite, path.join(out, "above/kept.txt")] }),
    stage: async (scene) => {
      const above = path.join(scene.ground.out, "above");
      await mkdir(above);
      await chmod(above, 0o777);
      await writeFile(path.join(above, "kept.txt"), "kept\n");
      await chmod(path.join(above, "kept.txt"), 0o666);
      return changesFile("home/project/out/above/kept.txt", (ground) => [ground.out])(scene);
    },
  },
  {
    name: "writes where the caller's TMPDIR leads, a link to another directory",
    families: [17],
    program: { sh: `echo left > "$TMPDIR/$1"` },
    heldBy: [],
    heldAnyway: "the environment is built: TMPDIR is the sandbox's own",
    hostEnvironment: (ground) => ({ TMPDIR: path.join(ground.project, "temporary") }),
    stage: async ({ ground }) => {
      const word = uniqueWord();
      await symlink(ground.outside, path.join(ground.project, "temporary"));
      return { arguments: [word], succeeded: () => hostHas(path.join(ground.outside, word)) };
    },
  },
];

/** Connects, takes one descriptor out of the message and reads its file. */
const takesDescriptor = `exec python3 -c 'import os, socket, sys
client = socket.socket(socket.AF_UNIX); client.connect(sys.argv[1])
_, (number, *_), _, _ = socket.recv_fds(client, 1, 1); print(os.read(number, 200).decode())' "$1"`;

/** Gives an open descriptor of a file to whoever connects. */
const givesDescriptor = `import os, socket, sys
server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); server.listen(); print("ready", flush=True)
peer, _ = server.accept(); socket.send_fds(peer, [b"x"], [os.open(sys.argv[2], os.O_RDONLY)])`;

async function stageGiver(scene: Scene): Promise<Stage> {
  const { ground, resources } = scene;
  const address = path.join(ground.project, "giver.sock");
  await firstLine(startPeer(resources, "/usr/bin/python3", ["-c", givesDescriptor, address, path.join(ground.root, victim)]));
  return { ...(await readsCanary(victim)(scene)), arguments: [address] };
}

const peers: readonly Attack[] = [
  {
    name: "takes a descriptor of a hidden file from a host process over a unix socket (SCM_RIGHTS)",
    families: [38, 55],
    program: { sh: takesDescriptor },
    heldBy: [],
    heldTogether: "the guard connects to what its own network namespace lists, and the outer wall gives it one",
    stage: stageGiver,
  },
  {
    name: "lists what listens on the host in /proc/net",
    families: [61],
    program: { sh: `cat /proc/net/tcp` },
    heldBy: ["outer"],
    stage: async ({ resources }) => {
      const { port } = await listenStream(resources, { host: "127.0.0.1" });
      const shown = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A`;
      return { arguments: [], succeeded: (run) => run.output.includes(shown) };
    },
  },
  {
    name: "asks the kernel over netlink for the sockets of the host",
    families: [61],
    program: {
      sh: `exec python3 -c 'import socket, struct
asker = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4); asker.settimeout(5)
asker.send(struct.pack("=IHHII", 72, 20, 0x301, 1, 0) + struct.pack("=BBBBI", 2, 6, 0, 0, 1 << 10) + bytes(48))
for _ in range(64):
    answer = asker.recv(1 << 16); at = 0
    while at + 16 <= len(answer):
        length, kind = struct.unpack_from("=IH", answer, at)
        if kind == 3: raise SystemExit
        if kind == 20: print("port-%d-" % int.from_bytes(answer[at + 20:at + 22], "big"))
        at += (length + 3) & ~3' `,
    },
    heldBy: bothLayers,
    stage: async ({ resources }) => {
      const { port } = await listenStream(resources, { host: "127.0.0.1" });
      return { arguments: [], succeeded: (run) => run.output.includes(`port-${port}-`) };
    },
  },
  {
    name: "sends an ICMP message to a listener of the host",
    families: [61],
    users: ["root"],
    program: {
      sh: `exec python3 -c 'import socket, sys
talker = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
talker.sendto(bytes([13, 0, 0, 0]) + sys.argv[1].encode(), ("127.0.0.1", 0))' "$1"`,
    },
    heldBy: bothLayers,
    stage: stageIcmp,
  },
  {
    name: "leaves a message queue",
    families: [58],
    program: { sh: `ipcmk -Q` },
    heldBy: ["outer"],
    stage: async ({ resources }) => {
      const queues = async (): Promise<string> => (await hostContent("/proc/sysvipc/msg")) ?? "";
      const before = await queues();
      const added = async (): Promise<readonly string[]> => (await queues()).split("\n").filter((line) => !before.includes(line));
      const idOf = (line: string): string => line.trim().split(/\s+/u)[1] ?? "";
      resources.defer(async () => {
        for (const line of await added()) await capture("/usr/bin/ipcrm", ["-q", idOf(line)]);
      });
      return { arguments: [], succeeded: async () => (await added()).length > 0 };
    },
  },
];

/** Hears every ICMP message of the host's loopback until it has heard the word. */
const hearsIcmp = `import socket, sys
ear = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); ear.settimeout(30); print("ready", flush=True)
while sys.argv[1].encode() not in ear.recv(1 << 16): pass
open(sys.argv[2], "w").write(sys.argv[1])`;

async function stageIcmp({ ground, resources }: Scene): Promise<Stage> {
  const word = uniqueWord();
  const received = path.join(ground.outside, "received");
  const ear = startPeer(resources, "/usr/bin/python3", ["-c", hearsIcmp, word, received]);
  await firstLine(ear);
  const heard = async (): Promise<boolean> => {
    // It ends itself once it has heard the word; what was sent is in its queue already, so half a second is long.
    if (ear.exitCode === null) await once(ear, "exit", { signal: AbortSignal.timeout(500) }).catch(() => undefined);
    return (await hostContent(received)) === word;
  };
  return { arguments: [word], succeeded: heard };
}

export const neighbours: readonly Attack[] = [...files, ...peers];
