// A connection from the host to a port inside a sandbox. It decides nothing: who holds the sandbox's token asks for it, and it goes inwards only.
import { canDial, type Execution, type Sandbox } from "../contracts/boundary.ts";
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { PortConnection } from "../contracts/sandbox-door.ts";

async function* received(execution: Execution): AsyncGenerator<Uint8Array> {
  let isWhole = false;
  try {
    for await (const { channel, bytes } of execution.output) if (channel === "stdout") yield bytes;
    isWhole = true;
  } finally {
    if (!isWhole) void execution.killTree(); // who reads no more would hold up what is still sent
  }
}

/** A connection to a port where nothing listens ends without a byte. @throws USAGE_INVALID where the boundary cannot dial, and what `exec` throws */
export async function connectPort(sandbox: Sandbox, port: number): Promise<PortConnection> {
  if (!canDial(sandbox)) throw new GloveboxError("USAGE_INVALID", "sandbox.no-ports", { values: { sandbox: sandbox.id } });
  const execution = await sandbox.dial(port);
  return {
    received: received(execution),
    send: (bytes) => execution.writeStdin(bytes),
    end: () => execution.endStdin(),
    close: () => void execution.killTree(),
    ended: execution.gone,
  };
}
