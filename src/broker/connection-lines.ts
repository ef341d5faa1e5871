// What a person reads about connections: where a task may connect, what it did, and for each refusal the change of the policy that would allow it.
import { draftRule } from "../contracts/draft-rule.ts";
import { machineName } from "../contracts/egress-places.ts";
import type { EgressConnection, EgressRefusal } from "../contracts/egress-record.ts";
import type { CompiledEgressRule, HostPattern } from "../contracts/egress-policy.ts";
import type { Verdict } from "../contracts/decision.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { isLoopbackHost } from "../kit/address-class.ts";
import { showBytes } from "../kit/show-quantity.ts";
import type { TaskTraffic } from "./task-egress.ts";

/** Enough to see what it was about; the record has the rest. */
const shown = 5;

const prefixes: Readonly<Record<HostPattern["match"], string>> = { exact: "", below: "*.", within: "**." };

function showRule({ id, hosts, cidr, ports, protocols }: CompiledEgressRule): string {
  const places = [...hosts.map(({ match, name }) => `${prefixes[match]}${name}`), ...cidr].join(", ");
  return `${places} port ${ports?.join(", ") ?? "*"} ${protocols?.join(", ") ?? "*"} (rule ${id})`;
}

/** For the answer sheet: each rule that allows, each local place, and what a person is asked about. */
export function connectTargets({ egress }: CompiledPolicy): readonly string[] {
  const ruled = (verdict: Verdict): readonly string[] => egress.rules.filter((rule) => rule.verdict === verdict).map(showRule);
  const inside = (host: string): string => (isLoopbackHost(host) ? `, inside ${machineName}` : "");
  return [
    ...ruled("allow"),
    ...egress.local.map(({ host, port }) => `${host} port ${port} (allowLocal${inside(host)})`),
    ...ruled("ask").map((rule) => `${rule}, when a person grants it`),
    ...(egress.unruled === "ask" ? ["any other public name or address, when a person grants it (approval: regular)"] : []),
  ];
}

/** One line for a policy file. */
const allowingRule = (host: string, port: number, reason: string): string => `egress: [${draftRule(host, port, reason)}]`;

const changeKeys: ReadonlyMap<string, string> = new Map([
  ["default", "task.refused-connection.default"],
  ["rule", "task.refused-connection.rule"],
  ["ask", "task.refused-connection.ask"],
  ["ask-refused", "task.refused-connection.ask-refused"],
  ["ask-unanswered", "task.refused-connection.ask-unanswered"],
  ["ask-limit", "task.refused-connection.ask-limit"],
  ["revoked", "task.refused-connection.revoked"],
  ["address", "task.refused-connection.address"],
  ["local-name", "task.refused-connection.local"],
  ["resolved-address", "task.refused-connection.resolved"],
  ["sni-missing", "task.refused-connection.sni-missing"],
  ["sni-mismatch", "task.refused-connection.sni-mismatch"],
  ["host-mismatch", "task.refused-connection.host-mismatch"],
  ["protocol", "task.refused-connection.protocol"],
  ["upgrade", "task.refused-connection.upgrade"],
  ["malformed", "task.refused-connection.malformed"],
  ["limit-connections", "task.refused-connection.limit-connections"],
  ["limit-bytes", "task.refused-connection.limit-bytes"],
  ["limit-request", "task.refused-connection.limit-request"],
  ["limit-response", "task.refused-connection.limit-response"],
  ["limit-names", "task.refused-connection.limit-names"],
  ["unrecorded", "task.refused-connection.unrecorded"],
  ["unsupported", "task.refused-connection.unsupported"],
]);

function refusalLine({ reason, rule, host, port, via, process, count }: EgressRefusal): Sentence {
  // A name that was only looked up is most likely meant for TLS.
  const change = allowingRule(host, port ?? 443, reason);
  const local = `${host === machineName ? "127.0.0.1" : host}:${port ?? "PORT"}`;
  const values = { host: host === "" ? "?" : host, port: port ?? "*", rule: rule ?? "", who: process ?? "?", count, change, local };
  if (host === machineName && port === undefined) return { key: "task.refused-connection.local", values };
  if (via === "dns" && reason === "default") return { key: "task.refused-connection.name", values };
  return { key: changeKeys.get(reason) ?? "task.refused-connection.malformed", values };
}

/** A name that was looked up and refused, and then asked for by a proxy, is one refusal. */
function distinct(refusals: readonly EgressRefusal[]): readonly EgressRefusal[] {
  const asked = new Set(refusals.filter(({ via }) => via !== "dns").map(({ host }) => host));
  return refusals.filter(({ via, host }) => via !== "dns" || !asked.has(host));
}

/** At most five, then how many more. */
export function refusedConnections(traffic: TaskTraffic | undefined): readonly Sentence[] {
  if (traffic === undefined || traffic === "lost") return [];
  const refusals = distinct(traffic.refusals);
  const rest = traffic.totalRefusals - refusals.slice(0, shown).reduce((sum, { count }) => sum + count, 0);
  const more = refusals.length > shown ? [{ key: "task.refused-connection.more", values: { count: rest } }] : [];
  return [...refusals.slice(0, shown).map(refusalLine), ...more];
}

function connectionLine({ host, port, protocol, end, sentBytes, receivedBytes, isUnresolved }: EgressConnection): Sentence {
  const values = { host, port, protocol: protocol ?? "-", end, sent: showBytes(sentBytes), received: showBytes(receivedBytes) };
  return { key: isUnresolved === true ? "task.happened.connection-unresolved" : "task.happened.connection", values };
}

/** For the answer sheet. */
export function trafficLines(traffic: TaskTraffic | undefined): readonly Sentence[] {
  if (traffic === undefined) return [];
  if (traffic === "lost") return [{ key: "task.happened.gate-lost" }];
  const { connections, totalConnections, sentBytes, receivedBytes } = traffic;
  const total = { count: totalConnections, sent: showBytes(sentBytes), received: showBytes(receivedBytes) };
  return [
    ...(totalConnections === 0 ? [] : [{ key: "task.happened.connections", values: total }]),
    ...connections.slice(0, shown).map(connectionLine),
    ...refusedConnections(traffic),
  ];
}
