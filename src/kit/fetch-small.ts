// Gets one small document from a web server: bounded bytes and time, no redirect followed, no credential sent.
import http from "node:http";
import https from "node:https";

export interface FetchLimits {
  readonly maximumBytes: number;
  readonly ms: number;
  /** PEM of the only authorities to trust; undefined: those of the runtime. */
  readonly authority: Buffer | undefined;
}

/** Undefined when it cannot be had, whatever the reason. */
export async function fetchSmall(address: string, { maximumBytes, ms, authority }: FetchLimits): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const signal = AbortSignal.timeout(ms);
  const heard = (response: http.IncomingMessage): void => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maximumBytes) request.destroy();
    });
    response.on("error", () => resolve(undefined));
    response.on("close", () => resolve(undefined));
    response.on("end", () => resolve(response.statusCode === 200 && bytes <= maximumBytes ? Buffer.concat(chunks).toString() : undefined));
  };
  const trust = authority === undefined ? {} : { ca: authority };
  const request = address.startsWith("https:")
    ? https.get(address, { signal, agent: false, ...trust }, heard)
    : http.get(address, { signal, agent: false }, heard);
  request.on("error", () => resolve(undefined));
  request.on("close", () => resolve(undefined));
  return promise;
}
