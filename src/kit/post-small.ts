// Posts one small document to a web server and hears a small answer: bounded bytes and time, no redirect followed, no credential sent.
import http from "node:http";
import https from "node:https";

export interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** PEM: who alone may vouch for an https server. Absent: Node's own authorities. */
  readonly authorities?: string | undefined;
  /** Of the answer. */
  readonly maximumBytes: number;
  readonly ms: number;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/** Undefined when none came, or a longer one, whatever the reason. */
export async function postSmall(
  address: string,
  { headers, body, authorities, maximumBytes, ms, signal }: Posted,
): Promise<PostAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<PostAnswer | undefined>();
  const options = { method: "POST", headers, agent: false, signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]) };
  const heard = (response: http.IncomingMessage): void => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const header = (name: string): string | undefined => {
      const value = response.headers[name];
      return typeof value === "string" ? value : undefined;
    };
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maximumBytes) request.destroy();
      else chunks.push(chunk);
    });
    response.on("error", () => resolve(undefined));
    response.on("close", () => resolve(undefined));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, header, body: Buffer.concat(chunks).toString("utf8") }));
  };
  const request = address.startsWith("https:")
    ? https.request(address, { ...options, ca: authorities }, heard)
    : http.request(address, options, heard);
  request.on("error", () => resolve(undefined));
  request.on("close", () => resolve(undefined));
  request.end(body);
  return promise;
}
