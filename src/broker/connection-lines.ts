// What a person reads about connections: where a task may connect, what it did, and for each refusal the change of the policy that would allow it.
import { draftObserved, draftRule } from "../contracts/draft-rule.ts";
import { machineName } from "../contracts/egress-places.ts";
import type { EgressConnection, EgressRefusal } from "../contracts/egress-record.ts";
import type { CompiledEgressRule, HostPattern, RequestRules } from "../contracts/egress-policy.ts";
import type { CompiledPolicy } from "../contracts/policy-port.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { showWindow } from "../contracts/show-window.ts";
import { isLoopbackHost } from "../kit/address-class.ts";
import { showBytes } from "../kit/show-quantity.ts";
import type { TaskTraffic } from "./task-egress.ts";

/** Enough to see what it was about; the record has the rest. */
const shown = 5;

const prefixes: Readonly<Record<HostPattern["match"], string>> = { exact: "", below: "*.", within: "**." };

function showRequests({ methods, paths }: RequestRules): string {
  const places = paths?.map(({ match, path }) => (match === "below" ? `${path}*` : path)).join(", ") ?? "*";
  return `, only ${methods?.join(", ") ?? "any method"} of ${places}`;
}

function showRule({ id, hosts, cidr, ports, protocols, requests, window }: CompiledEgressRule): string {
  const places = [...hosts.map(({ match, name }) => `${prefixes[match]}${name}`), ...cidr].join(", ");
  const times = window === undefined ? "" : `, ${showWindow(window)}`;
  return `${places} port ${ports?.join(", ") ?? "*"} ${protocols?.join(", ") ?? "*"} (rule ${id}${requests === undefined ? "" : showRequests(requests)}${times})`;
}

/** Let through for a while although its rule denies it. */
function showObserved(rule: CompiledEgressRule): string {
  const until = rule.observedUntilMs === undefined ? "" : ` before ${new Date(rule.observedUntilMs).toISOString()}`;
  return `${showRule(rule)}, which denies it and only looks${until} (mode: observe, acceptRisk)`;
}

/** For the answer sheet: each rule that allows, each local place, and what a person is asked about. */
export function connectTargets({ egress }: CompiledPolicy): readonly string[] {
  const rulesOf = (verdict: CompiledEgressRule["verdict"]): readonly CompiledEgressRule[] =>
    egress.rules.filter((rule) => rule.verdict === verdict);
  const inside = (host: string): string => (isLoopbackHost(host) ? `, inside ${machineName}` : "");
  return [
    ...rulesOf("allow").map(showRule),
    ...rulesOf("observe").map(showObserved),
    ...egress.local.map(({ host, port }) => `${host} port ${port} (allowLocal${inside(host)})`),
    ...rulesOf("ask").map((rule) => `${showRule(rule)}, when a person grants it`),
    ...(egress.unruled === "ask" ? ["any other public name or address, when a person grants it (approval: regular)"] : []),
  ];
}

/** One line for a policy file. */
const allowingRule = (host: string, port: number, reason: string): string => `egress: [${draftRule(host, port, reason)}]`;

const changeKeys: ReadonlyMap<string, string> = new Map([
  ["default", "task.refused-connection.default"],
  ["rule", "task.refused-connection.rule"],
  ["window", "task.refused-connection.window"],
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
  ["request", "task.refused-connection.request"],
  ["malformed", "task.refused-connection.malformed"],
  ["limit-connections", "task.refused-connection.limit-connections"],
  ["limit-bytes", "task.refused-connection.limit-bytes"],
  ["limit-request", "task.refused-connection.limit-request"],
  ["limit-response", "task.refused-connection.limit-response"],
  ["limit-names", "task.refused-connection.limit-names"],
  ["limit-questions", "task.refused-connection.limit-questions"],
  ["unrecorded", "task.refused-connection.unrecorded"],
  ["unsupported", "task.refused-connection.unsupported"],
]);

function refusalLine({ reason, rule, opensAt, host, port, via, process, count }: EgressRefusal): Sentence {
  // A name that was only looked up is most likely meant for TLS.
  const change = allowingRule(host, port ?? 443, reason);
  const local = `${host === machineName ? "127.0.0.1" : host}:${port ?? "PORT"}`;
  const values = {
    host: host === "" ? "?" : host,
    port: port ?? "*",
    rule: rule ?? "",
    who: process ?? "?",
    count,
    change,
    local,
    opens: opensAt ?? "",
  };
  if (host === machineName && port === undefined) return { key: "task.refused-connection.local", values };
  if (via === "dns" && reason === "default") return { key: "task.refused-connection.name", values };
  if (reason === "window" && opensAt === undefined) return { key: "task.refused-connection.window-over", values };
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

function connectionValues({ host, port, protocol, end, sentBytes, receivedBytes }: EgressConnection) {
  return { host, port, protocol: protocol ?? "-", end, sent: showBytes(sentBytes), received: showBytes(receivedBytes) };
}

/** What an allowed connection ends with that came to nobody. */
const unreachedKeys: ReadonlyMap<string, string> = new Map([
  ["unresolvable", "task.unreached-connection.unresolvable"],
  ["unreachable", "task.unreached-connection.unreachable"],
  ["proxy", "task.unreached-connection.proxy"],
]);

/** Each place once: allowed, and yet not reached, which is nobody's rule. */
function unreachedLines(connections: readonly EgressConnection[]): readonly Sentence[] {
  const unreached = Map.groupBy(
    connections.filter(({ end }) => unreachedKeys.has(end)),
    ({ host, port, end }) => JSON.stringify([host, port, end]),
  );
  return [...unreached.values()].flatMap(([first, ...rest]) => {
    const key = unreachedKeys.get(first?.end ?? "");
    if (first === undefined || key === undefined) return [];
    return [{ key, values: { host: first.host, port: first.port, count: rest.length + 1 } }];
  });
}

function connectionLine(connection: EgressConnection): Sentence {
  const key = connection.isUnresolved === true ? "task.happened.connection-unresolved" : "task.happened.connection";
  return { key, values: connectionValues(connection) };
}

/** What a rule would have denied and only looked at: each place once, with the change that would allow it. */
function observedLines(connections: readonly EgressConnection[]): readonly Sentence[] {
  const watched = Map.groupBy(
    connections.filter(({ isObserved }) => isObserved === true),
    ({ host, port, protocol, rule }) => JSON.stringify([host, port, protocol, rule]),
  );
  return [...watched.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const { host, port, protocol = "-", rule = "" } = first;
    const values = { host, port, protocol, rule, count: rest.length + 1, change: `egress: [${draftObserved(first)}]` };
    return [{ key: "task.happened.observed", values }];
  });
}

/** Long and even ones into which nobody looked. */
function tunnelLines(connections: readonly EgressConnection[]): readonly Sentence[] {
  return connections
    .filter(({ looksLikeTunnel }) => looksLikeTunnel === true)
    .map((connection) => {
      const values = { ...connectionValues(connection), minutes: Math.floor(connection.durationMs / 60_000), rule: connection.rule ?? "-" };
      return { key: "task.happened.tunnel", values };
    });
}

/** At the end of a run; nothing where every rule is kept, what was allowed was reached, and nothing looks odd. */
export function connectionNotes(task: string, traffic: TaskTraffic | undefined): readonly Sentence[] {
  if (traffic === undefined || traffic === "lost") return [];
  const count = traffic.connections.filter(({ isObserved }) => isObserved === true).length;
  const observed = count === 0 ? [] : [{ key: "task.observed-connections", values: { count, task } }];
  return [...observed, ...unreachedLines(traffic.connections).slice(0, shown), ...tunnelLines(traffic.connections).slice(0, shown)];
}

/** For the answer sheet. */
export function trafficLines(traffic: TaskTraffic | undefined): readonly Sentence[] {
  if (traffic === undefined) return [];
  if (traffic === "lost") return [{ key: "task.happened.gate-lost" }];
  const { connections, totalConnections, sentBytes, receivedBytes } = traffic;
  const total = { count: totalConnections, sent: showBytes(sentBytes), received: showBytes(receivedBytes) };
  return [
    ...(totalConnections === 0 ? [] : [{ key: "task.happened.connections", values: total }]),
    ...connections
      .filter(({ end }) => !unreachedKeys.has(end))
      .slice(0, shown)
      .map(connectionLine),
    ...unreachedLines(connections).slice(0, shown),
    ...observedLines(connections).slice(0, shown),
    ...tunnelLines(connections).slice(0, shown),
    ...refusedConnections(traffic),
  ];
}
