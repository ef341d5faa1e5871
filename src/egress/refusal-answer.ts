// What an HTTP client is told whose connection was refused or did not come to be: a stable word in a header for programs, and for whoever reads the
// answer a few fixed words. They name what the client asked for and the rule, and nothing else; a person outside reads the record.
import { canonicalHost, showHostPort } from "../kit/host-name.ts";
import { type EgressEnd, isRefusal } from "./reason.ts";

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Printable ASCII and line ends, less than 1 KiB; empty when there is nothing to say. */
  readonly body: string;
}

const names: Readonly<Record<number, string>> = { 400: "Bad Request", 403: "Forbidden", 408: "Request Timeout", 502: "Bad Gateway" };

/** Whoever wrote the policy chose the name: it may be long, and in any script. */
const printable = (text: string): string => text.slice(0, 100).replaceAll(/[^\x20-\x7e]/gu, "?");

function bodyOf({ reason, rule }: EgressEnd, place: string): string {
  if (!isRefusal(reason)) return `Glovebox could not connect to ${place}.\nReason: ${reason}\n`;
  return [
    `Glovebox refused a connection to ${place}.`,
    `Reason: ${reason}`,
    `Rule: ${rule === undefined ? "none" : printable(rule)}`,
    `Outside the sandbox, "glovebox egress explain ${place}" says what would allow it.\n`,
  ].join("\n");
}

/** @param body of a request about a place; without one there is nothing to tell about it */
export function refusalAnswer(status: number, reason: string, body = ""): RefusalAnswer {
  const type = body === "" ? {} : { "Content-Type": "text/plain; charset=us-ascii", "X-Content-Type-Options": "nosniff" };
  return { status, headers: { "X-Glovebox-Refused": reason, ...type, "Content-Length": String(body.length), Connection: "close" }, body };
}

/** @param host canonical */
export function answerAbout(end: EgressEnd, { host, port }: { readonly host: string; readonly port: number }): RefusalAnswer {
  const canonical = canonicalHost(host);
  const body = canonical === undefined ? "" : bodyOf(end, showHostPort(canonical, port));
  return refusalAnswer(isRefusal(end.reason) ? 403 : 502, end.reason, body);
}

/** As bytes on the wire. RFC 9110, 9.3.2: `HEAD` hears how long the body would be, and gets none. */
export function writtenAnswer({ status, headers, body }: RefusalAnswer, method = ""): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${names[status] ?? "Error"}\r\n${lines.join("")}\r\n${method === "HEAD" ? "" : body}`;
}
