// Servers and their clients, both inside: the loopback and the socket files of a sandbox are its own.
import type { ToolCase } from "./tool-case.ts";

export const peers: readonly ToolCase[] = [
  {
    name: "a local HTTP server and its client, IPv4, IPv6 and by name",
    needs: ["node"],
    script: `cat > main.mjs <<'END'
import { once } from "node:events";
import { createServer } from "node:http";
const server = createServer((request, response) => response.end("served " + request.url));
server.listen(0, "::"); await once(server, "listening");
for (const host of ["127.0.0.1", "[::1]", "localhost"]) console.log(await (await fetch("http://" + host + ":" + server.address().port + "/" + host)).text());
server.closeAllConnections(); server.close();
END
node main.mjs`,
  },
  {
    name: "python's HTTP server of files and two of its clients",
    needs: ["python3"],
    script: `echo content > page.txt && cat > main.py <<'END'
import http.server, threading, urllib.request, http.client, functools
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="."); handler.log_message = None
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet); threading.Thread(target=server.serve_forever, daemon=True).start()
port = server.server_address[1]
print(urllib.request.urlopen(f"http://localhost:{port}/page.txt").read())
client = http.client.HTTPConnection("127.0.0.1", port); client.request("GET", "/none"); print(client.getresponse().status); server.shutdown()
END
python3 main.py`,
  },
  {
    name: "unix sockets in the project, TMPDIR and the abstract space",
    strictToo: true,
    needs: ["python3"],
    script: `cat > main.py <<'END'
import os, socket, tempfile, threading
def talk(address):
    server = socket.socket(socket.AF_UNIX); server.bind(address); server.listen()
    def serve():
        peer, _ = server.accept(); peer.send(peer.recv(9)[::-1]); peer.close()
    thread = threading.Thread(target=serve); thread.start()
    client = socket.socket(socket.AF_UNIX); client.connect(address); client.send(b"abc"); print(client.recv(9)); thread.join()
talk("here.sock"); place = tempfile.TemporaryDirectory(); talk(os.path.join(place.name, "there.sock")); talk("\\0gb-" + str(os.getpid()))
END
python3 main.py`,
  },
  {
    name: "python: a listener, a manager and an event loop on unix sockets",
    needs: ["python3"],
    script: `cat > main.py <<'END'
import asyncio, multiprocessing.connection as connection, threading
from multiprocessing.managers import BaseManager
with connection.Listener(family="AF_UNIX") as listener:
    thread = threading.Thread(target=lambda: listener.accept().send("from a listener")); thread.start()
    with connection.Client(listener.address) as client: print(client.recv())
    thread.join()
class Manager(BaseManager): pass
Manager.register("numbers", lambda: [3, 1, 2])
if __name__ == "__main__":
    with Manager() as manager: numbers = manager.numbers(); numbers.sort(); print(numbers)
    async def main():
        async def answer(reader, writer): writer.write((await reader.readline())[::-1]); await writer.drain(); writer.close()
        async with await asyncio.start_unix_server(answer, "loop.sock"):
            async def ask(number):
                reader, writer = await asyncio.open_unix_connection("loop.sock"); writer.write(b"%d\\n" % number); return await reader.read()
            print(sorted(await asyncio.gather(*(ask(number) for number in range(40)))))
    asyncio.run(main())
END
python3 main.py`,
  },
  {
    name: "node: clients of a unix socket and of a TCP port, many at once",
    needs: ["node"],
    script: `cat > main.mjs <<'END'
import { once } from "node:events";
import { connect, createServer } from "node:net";
for (const where of [{ path: "node.sock" }, { host: "127.0.0.1", port: 0 }]) {
  const server = createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(where); await once(server, "listening");
  const target = where.path === undefined ? { host: "127.0.0.1", port: server.address().port } : where;
  const ask = async (number) => { const socket = connect(target); socket.end("<" + number + ">"); let text = ""; for await (const part of socket) text += part; return text; };
  console.log((await Promise.all(Array.from({ length: 60 }, (_, number) => ask(number)))).join("")); server.close();
}
const missing = connect("missing.sock"); const [error] = await once(missing, "error"); console.log(error.code);
END
node main.mjs`,
  },
  {
    name: "UDP between two local sockets",
    needs: ["python3"],
    script: `python3 -c '
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.bind(("127.0.0.1", 0))
two = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); two.sendto(b"datagram", one.getsockname()); print(one.recv(99))'`,
  },
  {
    name: "descriptors and messages over a socket pair, a poll, an event descriptor, many connections at once",
    needs: ["python3"],
    script: `cat > main.py <<'END'
import asyncio, os, select, socket
left, right = socket.socketpair(); open("f", "w").write("passed")
socket.send_fds(left, [b"x"], [os.open("f", os.O_RDONLY)]); _, (number, *_), _, _ = socket.recv_fds(right, 1, 1); print(os.read(number, 9))
event = os.eventfd(3); poll = select.epoll(); poll.register(event, select.EPOLLIN); print(len(poll.poll(1)), os.eventfd_read(event))
async def main():
    async def answer(reader, writer): writer.write((await reader.readline()).upper()); writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0); port = server.sockets[0].getsockname()[1]
    async def ask(word):
        reader, writer = await asyncio.open_connection("127.0.0.1", port); writer.write(word + b"\\n"); text = await reader.read(); writer.close(); return text
    print(b"".join(await asyncio.gather(*[ask(b"%d" % n) for n in range(100)])).split()[99])
asyncio.run(main())
END
python3 main.py`,
  },
  {
    // Its own sandbox wants user namespaces, which no sandbox of ours has: docs/known-incompatibilities.md.
    name: "chromium without a screen: a page with a script, a picture, a page from a local server",
    needs: ["chromium", "python3"],
    script: `echo '<body><p>none</p><script>document.querySelector("p").textContent = ["b", "a"].toSorted() + 6 * 7</script></body>' > page.html
browse() { chromium --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$(mktemp -d)" "$@" 2>/dev/null; }
browse --dump-dom "file://$PWD/page.html" | grep -o '<p>.*</p>' && browse --screenshot="$PWD/shot.png" "file://$PWD/page.html" && head -c 4 shot.png | tail -c 3 && echo
python3 -u -m http.server -b 127.0.0.1 0 > log 2>&1 & until port=$(sed -n 's/.* port \\([0-9]*\\) .*/\\1/p' log) && [ -n "$port" ]; do kill -0 $! || exit 8; done; browse --dump-dom "http://127.0.0.1:$port/page.html" | grep -o '<p>.*</p>'; kill $!`,
    prints: "<p>a,b42</p>\nPNG\n<p>a,b42</p>\n",
  },
];
