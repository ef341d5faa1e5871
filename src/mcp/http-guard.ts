// Who may speak to the HTTP server: whoever names it as it is called, comes from no other web page, and has its token.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export const endpoint = "/mcp";

export interface Guarded {
  /** As it stands in the URL: `127.0.0.1:8123`. */
  readonly authority: string;
  readonly token: string;
}

export interface HttpRefusal {
  readonly status: 401 | 403 | 404;
  readonly message: string;
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

function holdsToken(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer ([\x21-\x7e]+)$/iu.exec(authorization ?? "") ?? [];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));
}

/**
 * A web page that makes its name mean this machine is told by the name in Host; one that calls us by our own name by its Origin.
 * Undefined: it may.
 */
export function refusalOf(request: { headers: IncomingHttpHeaders; url?: string | undefined }, guarded: Guarded): HttpRefusal | undefined {
  const { host, origin, authorization } = request.headers;
  const { authority, token } = guarded;
  const names = [authority, `localhost:${authority.slice(authority.lastIndexOf(":") + 1)}`];
  if (host === undefined || !names.includes(host)) return { status: 403, message: "Host is another" };
  if (origin !== undefined && !names.some((name) => origin === `http://${name}`)) return { status: 403, message: "Origin is another" };
  if (!holdsToken(authorization, token)) return { status: 401, message: "Authorization: Bearer TOKEN is missing or another" };
  return request.url === endpoint ? undefined : { status: 404, message: `Only ${endpoint} is served` };
}
