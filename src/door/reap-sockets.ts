// Sockets that dead brokers left in a directory of runtime files. That of the same state is replaced by its next broker; but a state may be gone, and
// then nobody would ever come for its socket. INVARIANT I-09
import { lstat, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { systemErrorCode } from "../contracts/glovebox-error.ts";

/** As `doorSocket` names them. */
const socketName = /^door-[0-9a-f]+-[0-9a-f]+\.sock$/u;
/** Between making its socket and listening at it, a broker looks like a dead one. */
const youngMs = 60_000;

/** Only of that the kernel is sure. */
async function isNobodyAt(socketPath: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(socketPath);
  socket.once("connect", () => resolve(false));
  socket.once("error", (error) => resolve(systemErrorCode(error) === "ECONNREFUSED"));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

async function isAbandoned(socketPath: string, nowMs: number): Promise<boolean> {
  const found = await lstat(socketPath).catch(() => undefined);
  return found?.isSocket() === true && found.mtimeMs < nowMs - youngMs && (await isNobodyAt(socketPath));
}

/** Of a broker that begins. @param own its own socket, which its front replaces */
export async function reapSockets(own: string, nowMs: number): Promise<void> {
  const directory = path.dirname(own);
  for (const name of await readdir(directory)) {
    const socketPath = path.join(directory, name);
    if (socketPath === own || !socketName.test(name) || !(await isAbandoned(socketPath, nowMs))) continue;
    await rm(socketPath, { force: true });
  }
}
