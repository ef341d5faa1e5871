// The least that a policy must say to let one refused connection through: one line, for a person to review.

const usualProtocols: ReadonlyMap<number, string> = new Map([
  [443, ""],
  [80, ", protocols: [http]"],
  [22, ", protocols: [ssh]"],
]);

/** Canonical spellings only come here: a name has no colon and does not end in a number. */
const isAddress = (host: string): boolean => host.includes(":") || /^[\d.]+$/u.test(host);

function idOf(host: string): string {
  const id = host.replaceAll(/[^a-z0-9.-]/gu, "-").replace(/^[^a-z0-9]+/u, "");
  return id === "" ? "allowed" : id.slice(0, 60);
}

const protocolText = (protocol: string): string => (protocol === "https" ? "" : `, protocols: [${protocol}]`);

function itemOf(host: string, port: number, protocols: string): string {
  const place = isAddress(host) ? `cidr: ["${host}"]` : `hosts: [${host}]`;
  return `{id: ${idOf(host)}-${port}, ${place}${protocols}, verdict: allow}`;
}

const forWebSocket = (port: number): string => `${port === 80 ? "" : `, ports: [${port}]`}, protocols: [http, ws]`;

interface Spoken {
  readonly host: string;
  readonly port: number;
  /** Absent where it did not come to that. */
  readonly protocol?: string | undefined;
}

/** An item of `egress` for what was let through: the port and what was spoken there, no more. */
export function draftObserved({ host, port, protocol }: Spoken): string {
  if (protocol === undefined || usualProtocols.get(port) === protocolText(protocol)) return draftRule(host, port);
  return itemOf(host, port, `, ports: [${port}], protocols: [${protocol}]`);
}

/** An item of `egress`. @param reason of the refusal */
export function draftRule(host: string, port: number, reason = "default"): string {
  const protocols = reason === "upgrade" ? forWebSocket(port) : (usualProtocols.get(port) ?? `, ports: [${port}], protocols: [tcp]`);
  return itemOf(host, port, protocols);
}
