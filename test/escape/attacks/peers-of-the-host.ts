// Attacks that talk to what listens on the host: unix sockets, TCP, UDP.
import { once } from "node:events";
import { link, symlink } from "node:fs/promises";
import path from "node:path";
import type { Attack, Scene, Stage } from "../harness/attack.ts";
import type { Family } from "../harness/families.ts";
import { type Listener, firstLine, listenDatagram, listenStream, startPeer, uniqueWord } from "../harness/peers.ts";
import { hostContent } from "../harness/stages.ts";

/** Landlock here knows no network addresses of programs that must listen themselves, and no unix paths: the network namespace and the mounts hold these. */
const onlyNamespaces = ["outer"] as const;

/** The guard asks which sockets its network namespace has: without a namespace of its own, the host's are among them. */
const askedInOwnNamespace = "the guard connects to what its own network namespace lists, and the outer wall gives it one";

const hears =
  (listener: Listener, word: string): Stage["succeeded"] =>
  async () =>
    (await listener.received()).includes(word);

const inet =
  (protocol: "tcp" | "udp", host: string) =>
  async ({ resources }: Scene): Promise<Stage> => {
    const word = uniqueWord();
    const listener = protocol === "tcp" ? await listenStream(resources, { host }) : await listenDatagram(resources, host);
    return { arguments: [protocol, host, String(listener.port), word], succeeded: hears(listener, word) };
  };

const unixPath =
  (place: (scene: Scene) => string) =>
  async (scene: Scene): Promise<Stage> => {
    const word = uniqueWord();
    const address = path.join(place(scene), "host.sock");
    const listener = await listenStream(scene.resources, { path: address });
    return { arguments: ["stream", "path", address, word], succeeded: hears(listener, word) };
  };

const unixDatagram =
  (kind: "dgram" | "pair") =>
  async ({ ground, programs, resources }: Scene): Promise<Stage> => {
    const word = uniqueWord();
    const address = path.join(ground.project, "datagram.sock");
    const received = path.join(ground.outside, "received");
    const peer = startPeer(resources, await programs.compiled("unix-datagram-listener"), [address, received]);
    await firstLine(peer);
    const heard = async (): Promise<boolean> => {
      // The listener ends itself after one datagram. One that was sent is in its queue already, so half a second is long.
      if (peer.exitCode === null) await once(peer, "exit", { signal: AbortSignal.timeout(500) }).catch(() => undefined);
      return ((await hostContent(received)) ?? "").includes(word);
    };
    return { arguments: [kind, "path", address, word], succeeded: heard };
  };

/** A listener of the host, and what the attack is given to reach it: made by `approach`, which may put more in its way. */
const shownListener =
  (
    place: (scene: Scene) => string,
    approach: (address: string, word: string, scene: Scene) => Promise<readonly string[]> | readonly string[],
  ) =>
  async (scene: Scene): Promise<Stage> => {
    const word = uniqueWord();
    const address = path.join(place(scene), "host.sock");
    const listener = await listenStream(scene.resources, { path: address });
    return { arguments: await approach(address, word, scene), succeeded: hears(listener, word) };
  };

const inProject = (scene: Scene): string => scene.ground.project;
const inWriteRoot = (scene: Scene): string => scene.ground.out;
const connectTo = (address: string, word: string): readonly string[] => ["stream", "path", address, word];
const socketRow = (name: string, families: readonly Family[], program: string, stage: Attack["stage"]): Attack => ({
  name,
  families,
  program: { c: program },
  heldBy: [],
  heldTogether: askedInOwnNamespace,
  stage,
});
const race = (how: string, where: (scene: Scene) => string): Attack["stage"] =>
  shownListener(where, (address, word, { ground }) => [how, address, ground.out, word]);

const inShownPlaces: readonly Attack[] = [
  socketRow("connects to a unix socket of the host that lies in the project", [55], "unix-connect", shownListener(inProject, connectTo)),
  socketRow("connects to a unix socket of the host that lies in a write root", [55], "unix-connect", shownListener(inWriteRoot, connectTo)),
  socketRow(
    "connects to a unix socket of the host through a link",
    [2, 55],
    "unix-connect",
    shownListener(inProject, async (address, word, { ground }) => {
      const link = path.join(ground.out, "link.sock");
      await symlink(address, link);
      return connectTo(link, word);
    }),
  ),
  socketRow(
    "connects to a unix socket of the host that has a second name in a write root",
    [6, 55],
    "unix-connect",
    shownListener(inProject, async (address, word, { ground }) => {
      const name = path.join(ground.out, "second.sock");
      await link(address, name);
      return connectTo(name, word);
    }),
  ),
  socketRow(
    "moves a unix socket of the host within a write root and connects to it",
    [5, 55],
    "unix-approach",
    shownListener(inWriteRoot, (address, word, { ground }) => ["move", address, ground.out, word]),
  ),
  socketRow(
    "links a unix socket of the host within a write root and connects to it",
    [6, 55],
    "unix-approach",
    shownListener(inWriteRoot, (address, word, { ground }) => ["link", address, ground.out, word]),
  ),
  socketRow(
    "connects to a unix socket of the host through /proc/self/root",
    [1, 55],
    "unix-connect",
    shownListener(inProject, (address, word) => connectTo(`/proc/self/root${address}`, word)),
  ),
  socketRow("connects to a unix socket of the host through /proc/self/cwd", [1, 55], "unix-approach", race("cwd", inProject)),
  socketRow(
    "connects to a unix socket of the host through a descriptor of its directory",
    [1, 55],
    "unix-approach",
    race("descriptor", inProject),
  ),
  socketRow("lets another process connect its socket to one of the host", [38, 55], "unix-approach", race("pass", inProject)),
  socketRow("swaps the address of its connect between two threads", [55], "unix-approach", race("address", inProject)),
  socketRow("swaps the socket of its connect between two threads", [55], "unix-approach", race("socket", inProject)),
  socketRow("turns a link of its connect between two threads", [2, 55], "unix-approach", race("turn", inProject)),
  socketRow(
    "connects to a unix socket of the host from a thread with descriptors of its own",
    [55],
    "unix-approach",
    race("unshared", inProject),
  ),
];

export const peersOfTheHost: readonly Attack[] = [
  {
    name: "connects to a hidden unix socket of the host",
    families: [55],
    program: { c: "unix-connect" },
    heldBy: onlyNamespaces,
    stage: unixPath((scene) => scene.ground.outside),
  },
  ...inShownPlaces,
  {
    name: "connects to an abstract unix socket of the host",
    families: [55],
    program: { c: "unix-connect" },
    heldBy: ["outer", "inner"],
    stage: async ({ resources }) => {
      const word = uniqueWord();
      const name = uniqueWord();
      const listener = await listenStream(resources, { path: `\0${name}` });
      return { arguments: ["stream", "abstract", name, word], succeeded: hears(listener, word) };
    },
  },
  {
    name: "sends a datagram to a unix socket of the host",
    families: [57],
    program: { c: "unix-connect" },
    heldBy: ["inner"],
    stage: unixDatagram("dgram"),
  },
  {
    name: "points one end of a datagram pair at a unix socket of the host",
    families: [57],
    program: { c: "unix-connect" },
    heldBy: ["inner"],
    stage: unixDatagram("pair"),
  },
  {
    name: "connects to a TCP port of the host (IPv4)",
    families: [61],
    program: { c: "inet-send" },
    heldBy: onlyNamespaces,
    stage: inet("tcp", "127.0.0.1"),
  },
  {
    name: "connects to a TCP port of the host (IPv6)",
    families: [61],
    program: { c: "inet-send" },
    heldBy: onlyNamespaces,
    stage: inet("tcp", "::1"),
  },
  {
    name: "sends UDP to a port of the host (IPv4)",
    families: [61],
    program: { c: "inet-send" },
    heldBy: onlyNamespaces,
    stage: inet("udp", "127.0.0.1"),
  },
  {
    name: "sends UDP to a port of the host (IPv6)",
    families: [61],
    program: { c: "inet-send" },
    heldBy: onlyNamespaces,
    stage: inet("udp", "::1"),
  },
];
