// A connection to a port inside whose two directions end at different times: neither end takes the other direction along.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import type { SandboxAccess } from "../../src/contracts/sandbox-door.ts";
import { forwardConnections } from "../../src/kit/forward-connections.ts";
import { serveBroker, type ServedBroker, shell } from "../fixtures/served-broker.ts";

/** More than all windows and pipes on the way hold. */
const much = 6 << 20;
const port = 7000;
/** Its first byte says which side ends first. `a`: it answers, at length, when the client has ended; `s`: it ends at once, and counts what still comes. */
const server = `python3 -c '
import socket, threading
def serve(c):
    def all():
        n = 0
        while b := c.recv(65536): n += len(b)
        return n
    if c.recv(1) == b"a":
        n = all(); c.sendall(b"%d:" % n + b"x" * ${much}); c.close()
    else:
        c.sendall(b"first"); c.shutdown(socket.SHUT_WR)
        n = all(); open("counted", "w").write(str(n)); c.close()
s = socket.socket(); s.bind(("127.0.0.1", ${port})); s.listen()
print("up", flush=True)
while True: threading.Thread(target=serve, args=(s.accept()[0],)).start()
' >log 2>&1 &
until test -s log; do sleep 0.05; done; cat log`;

const ends: (() => Promise<void>)[] = [];
let served: ServedBroker;
let access: SandboxAccess;

before(async () => {
  served = await serveBroker({ after: (end) => void ends.push(end) });
  access = await served.open();
  const started = await shell(served, access, server);
  assert.equal(started.output, "up\n");
});

after(async () => {
  for (const end of ends) await end();
});

const counted = async (): Promise<string> =>
  (await shell(served, access, "until test -s counted; do sleep 0.05; done; cat counted; rm counted")).output;

/** What comes until the other side sends no more; ours stays open. */
async function heardOn(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => chunks.push(bytes));
  await once(socket, "end");
  return Buffer.concat(chunks);
}

async function throughForward<T>(work: (socket: Socket) => Promise<T>): Promise<T> {
  const forwarding = await forwardConnections(0, () => served.broker.sandboxes.connect(access, port));
  const socket = connect({ port: forwarding.port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  try {
    return await work(socket);
  } finally {
    socket.destroy();
    await forwarding.close();
  }
}

test("through forward, a client that shuts down its sending side still gets the whole answer", async () => {
  const answer = await throughForward(async (socket) => {
    socket.end(`a${"y".repeat(100_000)}`);
    return heardOn(socket);
  });
  assert.equal(answer.subarray(0, 7).toString(), "100000:");
  assert.equal(answer.length, 7 + much);
});

test("through forward, a server that shuts down its sending side still gets what the client sends", async () => {
  await throughForward(async (socket) => {
    socket.write("s");
    assert.equal((await heardOn(socket)).toString(), "first");
    assert.equal(socket.writable, true);
    socket.end(Buffer.alloc(much));
    assert.equal(await counted(), String(much));
  });
});

test("a connection of a program ends direction by direction, and at once where nothing listens", async () => {
  const half = await served.broker.sandboxes.connect(access, port);
  await half.send(Buffer.from("s"));
  let heard = "";
  for await (const bytes of half.received) heard += Buffer.from(bytes).toString();
  assert.equal(heard, "first");
  await half.send(Buffer.from("later"));
  half.end();
  await half.ended;
  assert.equal(await counted(), "5");
  const nobody = await served.broker.sandboxes.connect(access, 7999);
  for await (const bytes of nobody.received) assert.fail(`${bytes.length} bytes came`);
  await nobody.ended;
});
