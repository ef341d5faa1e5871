// Addresses and ranges as numbers. It reads canonical spellings only: what else may mean an address is for kit/host-name.ts.
import { isIP, isIPv4 } from "node:net";

export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses whose first `prefix` bits are those of `base`. */
export interface IpRange {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
  /** Of each address, those that say which one of the range it is. */
  readonly freeBits: bigint;
}

const bitsOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

const mappedPrefix = 0xffffn;

/** An IPv4 address in its IPv6 clothes (`::ffff:0:0/96`) is that IPv4 address: sockets take one for the other. */
export function withoutMapping(address: IpAddress): IpAddress {
  if (address.family === 4 || address.value >> 32n !== mappedPrefix) return address;
  return { family: 4, value: address.value & 0xffff_ffffn };
}

const parseIpv4 = (text: string): number => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

function parseIpv6(text: string): bigint {
  const tail = /[^:]+\.[^:]+$/u.exec(text)?.[0];
  const dotted = tail === undefined ? undefined : parseIpv4(tail);
  const hex =
    dotted === undefined ? text : `${text.slice(0, -(tail?.length ?? 0))}${(dotted >>> 16).toString(16)}:${(dotted & 0xffff).toString(16)}`;
  const [left = "", right] = hex.split("::");
  const groupsOf = (part: string): readonly string[] => (part === "" ? [] : part.split(":"));
  const front = groupsOf(left);
  const back = groupsOf(right ?? "");
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return BigInt(`0x${[...front, ...zeros, ...back].map((group) => group.padStart(4, "0")).join("")}`);
}

/** As sockets that take both families show an IPv4 address. */
const mappedStart = "::ffff:";

/** Most texts that are asked about are names, and few names end in a digit. */
const mayBeAddress = (text: string): boolean => text.includes(":") || /\d$/u.test(text);

/** Undefined when it is no plain address; an IPv6 address with a zone is none. IPv4-mapped ones come back as IPv4. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!mayBeAddress(text)) return undefined;
  const dotted = text.startsWith(mappedStart) ? text.slice(mappedStart.length) : text;
  if (isIPv4(dotted)) return { family: 4, value: BigInt(parseIpv4(dotted)) };
  const family = text.includes("%") ? 0 : isIP(text);
  return family === 6 ? withoutMapping({ family, value: parseIpv6(text) }) : undefined;
}

function showIpv6(value: bigint): string {
  const digits = value.toString(16).padStart(32, "0");
  const groups = Array.from({ length: 8 }, (_, index) => digits.slice(4 * index, 4 * index + 4).replace(/^0{1,3}/u, ""));
  // RFC 5952: the longest run of zeros, the first of equal ones, at least two.
  const runs = [...groups.join(":").matchAll(/\b0(?::0)+\b/gu)].toSorted((one, other) => other[0].length - one[0].length);
  const [longest] = runs;
  if (longest === undefined) return groups.join(":");
  const text = groups.join(":");
  return `${text.slice(0, longest.index).replace(/:$/u, "")}::${text.slice(longest.index + longest[0].length).replace(/^:/u, "")}`;
}

export function showIpAddress({ family, value }: IpAddress): string {
  if (family === 6) return showIpv6(value);
  const number = Number(value);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".");
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  return address.family === range.family && (address.value ^ range.base) >> range.freeBits === 0n;
}

/** `10.0.0.0/8`, or one address. Undefined when it is none, or when bits below the prefix are set: then nobody knows what was meant. */
export function parseIpRange(text: string): IpRange | undefined {
  const [first = "", length, ...rest] = text.split("/");
  const address = parseIpAddress(first);
  // An IPv4 range is written as one.
  if (address === undefined || rest.length > 0 || (address.family === 4 && first.includes(":"))) return undefined;
  const bits = bitsOf(address.family);
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/u.test(length)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const freeBits = BigInt(bits - prefix);
  const { family, value: base } = address;
  return (base >> freeBits) << freeBits === base ? { family, base, prefix, freeBits } : undefined;
}

export function showIpRange({ family, base, prefix }: IpRange): string {
  return `${showIpAddress({ family, value: base })}/${prefix}`;
}

/** For tables in source. @throws TypeError for what is no range */
export function ipRange(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw new TypeError(`"${text}" is no range of addresses`);
  return range;
}
