// The captive network beside plain loopback, with one and the same server: opening a sandbox with it, a new connection, throughput. What the
// gate itself adds is measured with the gate.
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Sandbox } from "../src/contracts/boundary.ts";
import { capture } from "../src/kit/spawn.ts";
import type { EgressEndpoint } from "../src/contracts/egress.ts";
import { openTestGate } from "../test/fixtures/test-gate.ts";
import { type Alternative, measureInTurn, printTimings } from "./measure.ts";
import { openBenchSandbox, runTrue } from "./open.ts";

const transferBytes = 256 << 20;
const connects = 200;

/** Prints microseconds for one of: `connects` connections with an answer of a byte each; a transfer. */
const client = `
import socket, sys, time
kind, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
def once(want):
    with socket.create_connection((host, port), 30) as s:
        s.sendall(want); view = bytearray(1 << 20); total = 0
        while (got := s.recv_into(view)) > 0: total += got
    return total
started = time.perf_counter()
if kind == "connect":
    for i in range(${connects}): once(b"1")
else: assert once(b"t") == ${transferBytes}
print(round((time.perf_counter() - started) * 1e6))
`;

function serve(socket: Socket): void {
  const chunk = Buffer.alloc(1 << 16);
  socket.on("error", () => {});
  socket.once("data", (asked) => {
    if (asked.toString() === "1") {
      socket.end("1");
      return;
    }
    let left = transferBytes;
    const write = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!socket.write(chunk)) return;
      }
      socket.end();
    };
    socket.on("drain", write);
    write();
  });
}

async function runInside(sandbox: Sandbox, cwd: string, argv: readonly string[]): Promise<string> {
  const execution = await sandbox.exec({ argv: ["/usr/bin/python3", "-c", client, ...argv], cwd });
  let output = "";
  for await (const { bytes } of execution.output) output += Buffer.from(bytes).toString();
  await execution.exit;
  return output;
}

async function plainServer(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { server, port: address.port };
}

async function benchConnections(base: string, rounds: number): Promise<void> {
  const { server, port } = await plainServer();
  const { sandbox, project } = await openBenchSandbox(base, {}, openTestGate({ answer: serve }));
  const alternatives = (kind: string, share: number): readonly Alternative[] => [
    {
      name: "plain loopback, no sandbox",
      run: async () => {
        const { stdout } = await capture("/usr/bin/python3", ["-c", client, kind, "127.0.0.1", String(port)], { timeoutMs: 60_000 });
        return Number(stdout) / 1000 / share;
      },
    },
    {
      name: "captured in a sandbox",
      run: async () => Number(await runInside(sandbox, project, [kind, "93.184.216.34", "443"])) / 1000 / share,
    },
  ];
  try {
    const one = await measureInTurn(alternatives("connect", connects), rounds);
    printTimings(`new connection, one byte, end (mean of ${connects}; ${rounds} rounds in turn; budget +1 ms)`, one);
    const all = await measureInTurn(alternatives("transfer", 1), rounds);
    printTimings(`${transferBytes >> 20} MiB (${rounds} rounds in turn; budget 1.43x, that is 0.7 of the throughput)`, all);
  } finally {
    await sandbox.close();
    server.close();
  }
}

function opening(base: string, name: string, makeGate: () => EgressEndpoint | undefined): Alternative & { close(): Promise<void> } {
  let last: Sandbox | undefined;
  return {
    name,
    run: async () => {
      await last?.close();
      const started = performance.now();
      const { sandbox, project } = await openBenchSandbox(base, {}, makeGate());
      await runTrue(sandbox, project);
      last = sandbox;
      return performance.now() - started;
    },
    close: async () => last?.close(),
  };
}

export async function benchCaptive(rounds = 15): Promise<void> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), "glovebox-bench-")));
  const without = opening(path.join(base, "a"), "open and first command, loopback only", () => undefined);
  const captive = opening(path.join(base, "b"), "open and first command, captive network", () => openTestGate({ answer: serve }));
  try {
    printTimings(`open (${rounds} rounds in turn; budget +15 ms)`, await measureInTurn([without, captive], rounds));
    await benchConnections(path.join(base, "c"), Math.ceil(rounds / 3));
  } finally {
    await without.close();
    await captive.close();
    await rm(base, { recursive: true });
  }
}
