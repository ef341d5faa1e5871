// What kind of place an address is. Everything that is not plainly public is something else: IANA's special-purpose registries (IPv4 and IPv6),
// what clouds serve metadata on, and every IPv6 form that carries an IPv4 address inside.
import { type IpAddress, ipRange, type IpRange, isInRange, parseIpAddress, withoutMapping } from "./ip-address.ts";
import { lazily } from "./lazily.ts";

export type AddressClass =
  | "public"
  | "unspecified"
  | "loopback"
  | "private"
  | "link-local"
  | "metadata"
  | "shared"
  | "multicast"
  | "benchmarking"
  | "documentation"
  | "reserved"
  /** An IPv6 form that leads to an IPv4 address: NAT64, 6to4, Teredo, IPv4-compatible, IPv4-translated, ISATAP. */
  | "embedded";

/** First match wins. */
const table: readonly (readonly [string, AddressClass])[] = [
  // Metadata and host services of clouds: AWS, Azure, GCP, Alibaba, Oracle; WireServer is a public-class address.
  ["169.254.169.254/32", "metadata"],
  ["169.254.170.2/32", "metadata"],
  ["168.63.129.16/32", "metadata"],
  ["100.100.100.200/32", "metadata"],
  ["192.0.0.192/32", "metadata"],
  ["fd00:ec2::/32", "metadata"],
  ["fd20:ce::254/128", "metadata"],
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "reserved"],
  ["192.52.193.0/24", "reserved"],
  ["192.88.99.0/24", "reserved"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "reserved"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "embedded"],
  ["::ffff:0:0:0/96", "embedded"],
  ["64:ff9b::/96", "embedded"],
  ["64:ff9b:1::/48", "embedded"],
  ["100::/64", "reserved"],
  ["2001::/32", "embedded"],
  ["2001:db8::/32", "documentation"],
  ["2001:2::/48", "benchmarking"],
  ["2001::/23", "reserved"],
  ["2002::/16", "embedded"],
  ["2620:4f:8000::/48", "reserved"],
  ["3fff::/20", "documentation"],
  ["5f00::/16", "reserved"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "private"],
  ["ff00::/8", "multicast"],
];

const ranges = lazily((): readonly { readonly range: IpRange; readonly kind: AddressClass }[] =>
  table.map(([text, kind]) => ({ range: ipRange(text), kind })),
);
const globalUnicast = lazily((): IpRange => ipRange("2000::/3"));

/** `0:5efe` or `200:5efe` before the last 32 bits, whatever the prefix (RFC 5214). */
function isIsatap({ family, value }: IpAddress): boolean {
  const identifier = (value >> 32n) & 0xffff_ffffn;
  return family === 6 && (identifier === 0x5efen || identifier === 0x0200_5efen);
}

export function classifyAddress(given: IpAddress): AddressClass {
  const address = withoutMapping(given);
  const listed = ranges().find(({ range }) => isInRange(address, range));
  if (listed !== undefined) return listed.kind;
  if (isIsatap(address)) return "embedded";
  // Nothing outside 2000::/3 is assigned to anybody yet.
  return address.family === 4 || isInRange(address, globalUnicast()) ? "public" : "reserved";
}

/** @param host canonical name or address */
export function isLoopbackHost(host: string): boolean {
  const address = parseIpAddress(host);
  return address === undefined ? host === "localhost" : classifyAddress(address) === "loopback";
}
