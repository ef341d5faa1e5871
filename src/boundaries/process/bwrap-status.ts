// Reads bubblewrap's status lines: the host's own word for the guard's pid.
import type { Readable } from "node:stream";
import { z } from "zod";

const line = z.object({ "child-pid": z.number().int().positive() });

/** Resolves with the pid of the sandbox's first process as the host sees it; undefined when bubblewrap ends without saying it. */
export function readChildPid(status: Readable): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  let text = "";
  status.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-4096);
    for (const candidate of text.split("\n")) {
      if (!candidate.startsWith("{") || !candidate.endsWith("}")) continue;
      const found = line.safeParse(JSON.parse(candidate));
      if (found.success) resolve(found.data["child-pid"]);
    }
  });
  status.on("error", () => resolve(undefined));
  status.on("close", () => resolve(undefined));
  return promise;
}
