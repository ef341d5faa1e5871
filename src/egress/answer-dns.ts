// In-sandbox DNS: allowed names get placeholder addresses, every other name does not exist. Nothing is ever asked upstream. INVARIANT I-06
import { askedFor, dnsAnswer, dnsCodes, type DnsQuestion, dnsTypes, readDnsQuery } from "./dns-message.ts";
import type { PlaceholderNames } from "./placeholder-names.ts";

export interface DnsParts {
  readonly names: PlaceholderNames;
  mayName(name: string): boolean;
  /** False when too many new names were asked for. */
  takeName(name: string): boolean;
  refused(name: string, reason: "default" | "limit-names"): void;
}

const loopback4 = Uint8Array.from([127, 0, 0, 1]);
const loopback6 = Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0));

/** The sandbox's own loopback. */
const isOwn = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");
/** Reverse names: nothing is known of addresses, and programs ask of their own accord. */
const isReverse = (name: string): boolean => name.endsWith(".arpa");

function answerWith(question: DnsQuestion, v4: Uint8Array, v6: Uint8Array): Uint8Array {
  if (question.type === dnsTypes.a) return dnsAnswer(question, dnsCodes.ok, v4);
  if (question.type === dnsTypes.aaaa) return dnsAnswer(question, dnsCodes.ok, v6);
  // HTTPS and SVCB too: from them a client would learn keys that hide the server's name (ECH).
  return dnsAnswer(question, dnsCodes.ok);
}

function answerQuestion(question: DnsQuestion, parts: DnsParts): Uint8Array {
  const { name } = question;
  if (isOwn(name)) return answerWith(question, loopback4, loopback6);
  if (isReverse(name)) return dnsAnswer(question, dnsCodes.noName);
  if (!parts.mayName(name)) {
    parts.refused(name, "default");
    return dnsAnswer(question, dnsCodes.noName);
  }
  const addresses = parts.takeName(name) ? parts.names.addressesOf(name) : undefined;
  if (addresses !== undefined) return answerWith(question, addresses.v4, addresses.v6);
  parts.refused(name, "limit-names");
  return dnsAnswer(question, dnsCodes.refused);
}

/** Undefined: nothing is answered. */
export function answerDns(datagram: Uint8Array, parts: DnsParts): Uint8Array | undefined {
  const reading = readDnsQuery(datagram);
  return reading.kind === "invalid" ? reading.answer : answerQuestion(reading.question, parts);
}

export interface SecondAnswer {
  /** The question before, of the same asker. */
  readonly after: Buffer;
  readonly answer: Uint8Array;
}

/**
 * Whoever asks for both families gets one address: that it has none of IPv6, after a question for the one of IPv4. Both stand for the same name, and the C library tries
 * both out (three mediated calls) to choose. Undefined: there is no such answer to this question.
 * @param datagram that was answered with an address
 */
export function answerSecond(datagram: Uint8Array): SecondAnswer | undefined {
  const reading = readDnsQuery(datagram);
  if (reading.kind === "invalid" || reading.question.type !== dnsTypes.aaaa || isOwn(reading.question.name)) return undefined;
  return { after: askedFor(dnsTypes.a, datagram, reading.question), answer: dnsAnswer(reading.question, dnsCodes.ok) };
}
