// Attacks that reach the host's network past TCP and UDP connections: whole packets, groups, and a shell's own way.
import type { Attack } from "../harness/attack.ts";
import { listenDatagram, listenStream, startPeer, uniqueWord } from "../harness/peers.ts";
import { provesWith } from "../harness/stages.ts";

const bothLayers = ["outer", "inner"] as const;
/** The filter admits the internet's families: they reach what the namespace has, and that is its own loopback. */
const onlyNamespace = ["outer"] as const;
const group = "239.255.71.66";

/** Prints what follows the word in the packets that pass by, for three seconds at most. */
const readsPackets = `exec python3 -c 'import socket, sys, time
ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)); ear.settimeout(1); end = time.monotonic() + 3
while time.monotonic() < end:
    packet = ear.recv(65535); at = packet.find(sys.argv[1].encode())
    if at >= 0: sys.exit(print(packet[at:].decode("latin1")))' "$1"`;

/** A process of the host that tells another one something, again and again. */
const talks = `import socket, sys, time
talker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True: talker.sendto(sys.argv[1].encode(), ("127.0.0.1", int(sys.argv[2]))); time.sleep(0.01)`;

const overhears: Attack["stage"] = async ({ resources }) => {
  const [word, secret] = [uniqueWord(), uniqueWord()];
  const { port } = await listenDatagram(resources, "127.0.0.1");
  startPeer(resources, "/usr/bin/python3", ["-c", talks, `${word} ${secret}`, String(port)]);
  return { arguments: [word], succeeded: (run) => run.output.includes(secret) };
};

/** An IPv4 header without a checksum, which the kernel fills in, and a UDP header that has none. */
const craftsPacket = `exec python3 -c 'import socket, struct, sys
word, port = sys.argv[1].encode(), int(sys.argv[2]); here = socket.inet_aton("127.0.0.1")
header = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(word), 0, 0, 64, 17, 0) + here + here
talker = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
talker.sendto(header + struct.pack(">HHHH", 4242, port, 8 + len(word), 0) + word, ("127.0.0.1", 0))' "$1" "$2"`;

const sendsToGroup = `exec python3 -c 'import socket, sys
talker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
talker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
talker.sendto(sys.argv[1].encode(), ("${group}", int(sys.argv[2])))' "$1" "$2"`;

const reachesDatagram =
  (host: string, joined?: string): Attack["stage"] =>
  async ({ resources }) => {
    const word = uniqueWord();
    const listener = await listenDatagram(resources, host, joined);
    return { arguments: [word, String(listener.port)], succeeded: async () => (await listener.received()).includes(word) };
  };

const reachesStream: Attack["stage"] = async ({ resources }) => {
  const word = uniqueWord();
  const listener = await listenStream(resources, { host: "127.0.0.1" });
  return { arguments: [word, String(listener.port)], succeeded: async () => (await listener.received()).includes(word) };
};

export const rawNetwork: readonly Attack[] = [
  {
    name: "overhears what processes of the host say to each other (packet socket)",
    families: [61],
    users: ["root"],
    program: { sh: readsPackets },
    heldBy: bothLayers,
    stage: overhears,
  },
  {
    name: "sends an IPv4 packet of its own making to a listener of the host",
    families: [61],
    users: ["root"],
    program: { sh: craftsPacket },
    heldBy: bothLayers,
    stage: reachesDatagram("127.0.0.1"),
  },
  {
    name: "sends to a multicast group that a process of the host is in",
    families: [61],
    program: { sh: sendsToGroup },
    heldBy: onlyNamespace,
    stage: reachesDatagram(group, "127.0.0.1"),
  },
  {
    name: "connects to a TCP port of the host with the shell's own /dev/tcp",
    families: [61],
    program: { sh: `exec bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$2" && echo "$1" >&3' bash "$1" "$2"` },
    heldBy: onlyNamespace,
    stage: reachesStream,
  },
  {
    name: "opens a socket to the kernel's own ciphers",
    families: [61],
    program: {
      sh: `exec python3 -c 'import socket, sys
asker = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET); asker.bind(("hash", "sha256"))
open(sys.argv[1], "w").write("bound to a cipher")' "$1"`,
    },
    absentWhen: ["[Errno 97]", "[Errno 2]"],
    heldBy: ["inner"],
    stage: provesWith("bound to a cipher"),
  },
];
