// Attacks of a sandbox from which something may leave: to the host's own addresses, past the network that captures everything.
import os from "node:os";
import type { Attack } from "../harness/attack.ts";
import type { Family } from "../harness/families.ts";
import { listenDatagram, listenStream, uniqueWord } from "../harness/peers.ts";

/** The network is a part of the outer wall; the filter admits the internet's families, which have to work. */
const onlyNetwork = ["outer"] as const;
const group = "239.255.71.67";

/** One that the host has on a network, where it has any. Packets to it leave a sandbox; those to loopback never do. */
function hostAddress(): string {
  const all = Object.values(os.networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

/** Python, so that any option of a socket is at hand. Its arguments: the word, address and port. */
const sends = (lines: string): Attack["program"] => ({
  sh: `exec python3 -c 'import socket, sys
word, host, port = sys.argv[1].encode(), sys.argv[2], int(sys.argv[3])
${lines}' "$@"`,
});

interface Row {
  readonly name: string;
  readonly families: readonly Family[];
  readonly kind: "tcp" | "udp";
  /** Of the listener: where the host can be reached at. */
  readonly at?: () => string;
  /** How the attack spells it. */
  readonly spelled?: (address: string) => string;
  readonly joined?: string;
  readonly lines: string;
}

const tcp = (options = ""): string => `talker = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET); talker.settimeout(10)
${options}
talker.connect((host, port)); talker.sendall(word)`;

const udp = (options = ""): string => `talker = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
${options}
talker.sendto(word, (host, port))`;

const rows: readonly Row[] = [
  { name: "connects to an address of the host", families: [61, 75], kind: "tcp", lines: tcp() },
  {
    name: "connects to an address of the host in its IPv6 spelling",
    families: [65, 75],
    kind: "tcp",
    spelled: (address) => `::ffff:${address}`,
    lines: tcp(),
  },
  {
    name: "connects to 0.0.0.0, which means this machine",
    families: [75],
    kind: "tcp",
    at: () => "127.0.0.1",
    spelled: () => "0.0.0.0",
    lines: tcp(),
  },
  {
    name: "connects to an address of the host from an address that is not its own",
    families: [61, 75],
    kind: "tcp",
    lines: tcp('talker.setsockopt(socket.SOL_IP, 15, 1); talker.bind((host if host != "127.0.0.1" else "127.9.9.9", 0))'),
  },
  { name: "sends a datagram to an address of the host", families: [61, 75], kind: "udp", lines: udp() },
  {
    name: "sends a datagram to an address of the host by the loopback interface",
    families: [61, 75],
    kind: "udp",
    lines: udp('talker.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")'),
  },
  {
    name: "sends to a multicast group of the host",
    families: [61],
    kind: "udp",
    at: () => group,
    joined: "127.0.0.1",
    lines: udp('talker.setsockopt(socket.SOL_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))'),
  },
];

export const pastTheGate: readonly Attack[] = rows.map(({ name, families, kind, at = hostAddress, spelled, joined, lines }) => ({
  name: `${name}, past the gate`,
  families,
  program: sends(lines),
  hasGate: true,
  heldBy: onlyNetwork,
  stage: async ({ resources }) => {
    const [word, host] = [uniqueWord(), at()];
    const listener = kind === "tcp" ? await listenStream(resources, { host }) : await listenDatagram(resources, host, joined);
    const heard = async (): Promise<boolean> => (await listener.received()).includes(word);
    return { arguments: [word, spelled?.(host) ?? host, String(listener.port)], succeeded: heard };
  },
}));
