# A client of the bench: does what each line of its input says, over one way out, and prints how many milliseconds that took.
# gate-client.py HOST PORT PROXY USER; PROXY is ADDRESS:PORT for CONNECT, or - for none; USER is NAME:PASSWORD, or -
import base64, socket, sys, time

host, port, proxy, user = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
view = bytearray(1 << 20)
held = []


def reach():
    if proxy == "-":
        return socket.create_connection((host, port), 30)
    address, at = proxy.rsplit(":", 1)
    connection = socket.create_connection((address, int(at)), 30)
    who = "" if user == "-" else "Proxy-Authorization: Basic %s\r\n" % base64.b64encode(user.encode()).decode()
    connection.sendall(("CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n" % (host, port, host, port, who)).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(4096)
    assert b" 200" in answer[:16], answer
    return connection


def get(size):
    with reach() as connection:
        connection.sendall(b"GET /bytes/%d HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (size, host.encode()))
        total = 0
        while (got := connection.recv_into(view)) > 0:
            total += got
        assert total > size, total


for line in sys.stdin:
    what, number = line.split()
    started = time.perf_counter()
    if what == "get":
        get(int(number))
    elif what == "connect":
        for _ in range(int(number)):
            get(1)
    elif what == "hold":
        held += [reach() for _ in range(int(number))]
    print((time.perf_counter() - started) * 1000, flush=True)
