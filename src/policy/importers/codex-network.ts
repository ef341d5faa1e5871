// The network part of a Codex profile -> lists of hosts. It is closed unless it says `enabled = true`.
import type { KeyPath } from "../key-path.ts";
import type { CodexNetwork } from "./codex-settings.ts";
import { entriesOf, type Entry, type IdleSetting, type ImportDraft, noteIdle } from "./import-draft.ts";

const idle: readonly IdleSetting[] = [
  { path: ["proxy_url"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["socks_url"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["enable_socks5"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["enable_socks5_udp"], kind: "refused", reason: "import.reason.udp" },
  { path: ["allow_upstream_proxy"], kind: "inert", reason: "import.reason.parent-proxy" },
  { path: ["allow_local_binding"], kind: "inert", reason: "import.reason.local-binding" },
  { path: ["dangerously_allow_non_loopback_proxy"], kind: "refused", reason: "import.reason.other-proxy" },
  { path: ["dangerously_allow_all_unix_sockets"], kind: "refused", reason: "import.reason.unix-sockets" },
  { path: ["unix_sockets"], kind: "refused", reason: "import.reason.unix-sockets" },
  { path: ["allow_unix_sockets"], kind: "refused", reason: "import.reason.unix-sockets" },
  { path: ["mitm"], kind: "refused", reason: "import.reason.tls" },
  { path: ["http_port"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["socks_port"], kind: "inert", reason: "import.reason.own-programs" },
  { path: ["managed_allowed_domains_only"], kind: "inert", reason: "import.reason.managed" },
];

interface Hosts {
  readonly allowed: readonly Entry[];
  readonly denied: readonly Entry[];
}

/** `requirements.toml` has its hosts in two lists, besides. */
interface Network extends CodexNetwork {
  readonly allowed_domains?: readonly string[] | undefined;
  readonly denied_domains?: readonly string[] | undefined;
}

/** @param at where the network part stands */
export function codexNetwork(draft: ImportDraft, network: Network | undefined, at: KeyPath): Hosts {
  noteIdle(draft, network, idle, at);
  const ruled = (wanted: "allow" | "deny"): readonly Entry[] =>
    Object.entries(network?.domains ?? {}).flatMap(([text, ruling]) =>
      ruling === wanted ? [{ text, path: [...at, "domains", text] }] : [],
    );
  const allowed = [...ruled("allow"), ...entriesOf(network?.allowed_domains, [...at, "allowed_domains"])];
  const denied = [...ruled("deny"), ...entriesOf(network?.denied_domains, [...at, "denied_domains"])];
  if (network?.enabled !== true) return { allowed: [], denied };
  // It lets through what only reads, and looks into TLS for that: an allow without it would be wider.
  if (network.mode === "limited") draft.note("refused", [...at, "mode"], "import.reason.limited");
  else if (allowed.length === 0) draft.note("refused", [...at, "enabled"], "import.reason.network-all");
  return { allowed: network.mode === "limited" ? [] : allowed, denied };
}
