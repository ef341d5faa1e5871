// `--http ADDRESS:PORT`: where on this machine's loopback; never elsewhere.
import type { McpListening } from "../../contracts/mcp-servers.ts";
import { usageError } from "../usage-error.ts";

/** @throws USAGE_INVALID for another address or no port */
export function parseHttpPlace(given: string): Pick<McpListening, "address" | "port"> {
  const [, address, digits = ""] = /^(127\.0\.0\.1|\[::1\]):(\d{1,5})$/u.exec(given) ?? [];
  const port = Number(digits);
  if (address === undefined || port > 65_535) throw usageError("mcp.http-place", { value: given });
  return { address: address === "[::1]" ? "::1" : "127.0.0.1", port };
}
