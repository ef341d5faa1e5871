// Attacks that talk to what listens on the host: unix sockets, TCP, UDP.
import { once } from "node:events";
import path from "node:path";
import type { Attack, Scene, Stage } from "../harness/attack.ts";
import { type Listener, firstLine, listenDatagram, listenStream, startPeer, uniqueWord } from "../harness/peers.ts";
import { hostContent } from "../harness/stages.ts";

/** Landlock here knows no network addresses of programs that must listen themselves, and no unix paths: the network namespace and the mounts hold these. */
const onlyNamespaces = ["outer"] as const;

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

export const peersOfTheHost: readonly Attack[] = [
  {
    name: "connects to a hidden unix socket of the host",
    families: [55],
    program: { c: "unix-connect" },
    heldBy: onlyNamespaces,
    stage: unixPath((scene) => scene.ground.outside),
  },
  {
    name: "connects to a unix socket of the host that lies in the project",
    families: [55],
    program: { c: "unix-connect" },
    heldBy: [],
    pending: "the mediator performs every connect and admits only sockets of this network namespace",
    stage: unixPath((scene) => scene.ground.project),
  },
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
