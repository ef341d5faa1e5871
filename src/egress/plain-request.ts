// What a plain request asks its server for, as rules about methods and paths judge it: only what every server reads in the same way. Whatever a
// server may take for another method or another path is neither, and no such rule admits it.
import type { PlainRequest } from "../contracts/egress-policy.ts";
import { headerPairs, type RequestHead, type RequestTarget } from "./judge-request.ts";

/** Servers take the method, or the path, from them. */
const otherMethod = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);
const otherPath = new Set(["x-original-url", "x-rewrite-url"]);

/** RFC 3986, 3.3, without escapes and parameters; no segment is empty, `.` or `..`. */
const plainPath = /^(?!.*\/\.{1,2}(?:\/|$))\/(?:[\w.~!$&'()*+,=:@-]+\/)*[\w.~!$&'()*+,=:@-]*$/u;

export function plainRequest({ method, rawHeaders }: Pick<RequestHead, "method" | "rawHeaders">, { path }: RequestTarget): PlainRequest {
  const names = headerPairs(rawHeaders).map(([name]) => name.toLowerCase().replaceAll("_", "-"));
  const [asked = ""] = path.split("?", 1);
  const isPlain = plainPath.test(asked) && !names.some((name) => otherPath.has(name));
  return { method: names.some((name) => otherMethod.has(name)) ? undefined : method, path: isPlain ? asked : undefined };
}
