// How this machine reaches the outside, for the gate, which has no files: the hosts file, and the company's proxy that the user's own file names.
// No variable of the environment says anything about it, since an agent may set those.
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import { madeOnce } from "../contracts/made-once.ts";
import type { NetworkSettings } from "../egress/egress.ts";
import { readHostsFile } from "./hosts-file.ts";
import { readOwnFile } from "./policy-files.ts";

const networkFileSchema = madeOnce(() =>
  z.strictObject({
    /** `http://user:password@proxy.example:3128`, `https://...`, `socks5://...` */
    proxy: z.string().max(1000),
    noProxy: z.array(z.string().min(1).max(253)).max(1000).default([]),
    /** A file of certificates in PEM that the proxy's own certificate is checked with, beside the usual ones. */
    authorities: z.string().startsWith("/").optional(),
  }),
);

const usualPorts: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
  ["socks5:", 1080],
]);
const kinds = { "http:": "http", "https:": "https", "socks5:": "socks5" } as const;

function isKind(protocol: string): protocol is keyof typeof kinds {
  return Object.hasOwn(kinds, protocol);
}

/** Undefined when it is no such address. */
export function parseProxy(text: string): Omit<NonNullable<NetworkSettings["upstream"]>, "noProxy"> | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (!isKind(protocol) || hostname === "" || !["", "/"].includes(pathname) || search !== "" || hash !== "") return undefined;
  if (/%(?![0-9a-f]{2})/iu.test(username + password)) return undefined;
  const given = username === "" ? {} : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  return {
    kind: kinds[protocol],
    host: hostname.replaceAll(/[[\]]/gu, ""),
    port: port === "" ? (usualPorts.get(protocol) ?? 80) : Number(port),
    ...given,
  };
}

async function readUpstream(file: string, uid: number): Promise<NetworkSettings["upstream"]> {
  const found = readOwnFile(file, uid);
  if (found === undefined) return undefined;
  const invalid = (detail: string): GloveboxError =>
    new GloveboxError("POLICY_UNREADABLE", "network-file.invalid", { values: { file, detail } });
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(found.bytes));
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : "");
  }
  const parsed = networkFileSchema().safeParse(value);
  const proxy = parsed.success ? parseProxy(parsed.data.proxy) : undefined;
  if (!parsed.success || proxy === undefined) throw invalid("proxy");
  const { noProxy, authorities } = parsed.data;
  if (authorities === undefined) return { ...proxy, noProxy };
  const pem = await readFile(authorities, "utf8").catch(() => {
    throw invalid(authorities);
  });
  return { ...proxy, noProxy, authorities: pem };
}

/** @param file `network.json` in the user's own directory of policies */
export async function readNetworkSettings(hostsFile: string, file: string, uid: number): Promise<NetworkSettings> {
  const [hosts, upstream] = await Promise.all([readHostsFile(hostsFile), readUpstream(file, uid)]);
  return { hosts, ...(upstream === undefined ? {} : { upstream }) };
}
