# A client of the bench: does what each line of its input says, over one way out, and prints how many milliseconds that took, or of what these consist.
# gate-client.py HOST PORT PROXY USER; PROXY is ADDRESS:PORT for CONNECT, or - for none; USER is NAME:PASSWORD, or -
import base64, socket, statistics, sys, time

host, port, proxy, user = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
view = bytearray(1 << 20)
held = []


def reach(mark=lambda: None):
    place = (host, str(port)) if proxy == "-" else proxy.rsplit(":", 1)
    family, kind, _, _, found = socket.getaddrinfo(*place, 0, socket.SOCK_STREAM)[0]
    mark()
    connection = socket.socket(family, kind)
    connection.settimeout(30)
    connection.connect(found)
    mark()
    if proxy != "-":
        ask_for_tunnel(connection)
    mark()
    return connection


def ask_for_tunnel(connection):
    who = "" if user == "-" else "Proxy-Authorization: Basic %s\r\n" % base64.b64encode(user.encode()).decode()
    connection.sendall(("CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n" % (host, port, host, port, who)).encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(4096)
    assert b" 200" in answer[:16], answer


def get(size, mark=lambda: None):
    with reach(mark) as connection:
        connection.sendall(b"GET /bytes/%d HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (size, host.encode()))
        total = connection.recv_into(view)
        mark()
        while (got := connection.recv_into(view)) > 0:
            total += got
        assert total > size, total
    mark()


# Medians, in milliseconds: the lookup of the name, the connection, the proxy's answer, the first byte, the end, all of it.
def parts(number):
    rows = []
    for _ in range(number):
        times = [time.perf_counter()]
        get(1, lambda: times.append(time.perf_counter()))
        spans = [*zip(times, times[1:]), (times[0], times[-1])]
        rows.append([(later - earlier) * 1000 for earlier, later in spans])
    return " ".join("%.3f" % statistics.median(column) for column in zip(*rows))


for line in sys.stdin:
    what, number = line.split()
    started = time.perf_counter()
    if what == "parts":
        print(parts(int(number)), flush=True)
        continue
    if what == "get":
        get(int(number))
    elif what == "connect":
        for _ in range(int(number)):
            get(1)
    elif what == "hold":
        held += [reach() for _ in range(int(number))]
    print((time.perf_counter() - started) * 1000, flush=True)
