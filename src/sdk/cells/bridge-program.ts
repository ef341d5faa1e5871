// The program that runs inside a sandbox between one cell and its kernel, in Python, because jupyter_client is. It is handed in as the input of the
// command that runs it, so nothing of it lies in a sandbox. What it says is a claim: whoever reads it bounds and checks it again.

/** Reads the bridge from its input and runs it. */
export const bridgeLoader = 'import sys;exec(compile(sys.stdin.buffer.read(),"glovebox-cell","exec"))';

/**
 * `start CONTEXT` makes a kernel and leaves it running. `cell CONTEXT CODE` has it run CODE: SIGINT and SIGTERM interrupt the
 * cell. One JSON document a line: `cellDocumentSchema`. Python alone, without backslashes that are not its own.
 */
export const bridgeProgram = String.raw`
import json, os, queue, signal, subprocess, sys, time

TEXT, DATA, OUTPUTS, PIECE, PIECES = 1 << 20, 16 << 20, 200, 32768, 3000
MIMES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg", "image/svg+xml", "application/json")
# Not where what a command leaves behind is looked for.
HOME = "/dev/shm/glovebox-cells"
wish = {"interrupt": False, "limit": False}


def say(**document):
    sys.stdout.buffer.write(json.dumps(document).encode("ascii") + b"\n")
    sys.stdout.buffer.flush()


def place(context, kind):
    return os.path.join(HOME, context + "." + kind)


def kernel_of(context):
    try:
        with open(place(context, "pid")) as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[-1].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def connect(context, seconds):
    from jupyter_client import BlockingKernelClient

    client = BlockingKernelClient(connection_file=place(context, "json"))
    client.load_connection_file()
    client.start_channels(hb=False)
    # Until it is heard on both channels: what it shows before that would be lost.
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        asked = client.kernel_info()
        try:
            while True:
                message = client.get_iopub_msg(timeout=0.2)
                if message["parent_header"].get("msg_id") == asked and message["content"].get("execution_state") == "idle":
                    return client
        except queue.Empty:
            pass
    raise TimeoutError("the kernel does not answer")


def start(context):
    try:
        import ipykernel, jupyter_client
    except ImportError as error:
        say(kind="unavailable", reason="missing", detail=str(error)[:500])
        return 69
    os.makedirs(HOME, mode=0o700, exist_ok=True)
    file = place(context, "json")
    words = ["--HistoryManager.enabled=False", "--InteractiveShell.colors=NoColor"]
    with open(place(context, "log"), "w") as log:
        kernel = subprocess.Popen(
            [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", file] + words,
            env={**os.environ, "IPYTHONDIR": place(context, "ipython")}, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )
    with open(place(context, "pid"), "w") as note:
        note.write(str(kernel.pid))
    until = time.monotonic() + 60
    try:
        while not (os.path.exists(file) and os.path.getsize(file) > 0) and kernel.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        connect(context, 60).stop_channels()
    except Exception as error:
        kernel.kill()
        with open(place(context, "log"), errors="replace") as log:
            said = log.read()[-1000:]
        say(kind="unavailable", reason="start", detail=("%s %s" % (error, said)).strip()[:1500])
        return 70
    say(kind="ready")
    return 0


class Teller:
    """Hands on what a cell shows, as far as its bounds go, and counts the rest."""

    def __init__(self):
        self.text, self.data, self.outputs, self.cut = TEXT, DATA, OUTPUTS, 0
        self.count, self.made, self.pieces = None, 0, PIECES
        self.name, self.waiting = "stdout", ""

    def stream(self, name, text):
        if name != self.name:
            self.flush()
            self.name = name
        kept = text[: self.text]
        self.text -= len(kept)
        self.cut += len(text) - len(kept)
        self.waiting += kept
        if len(self.waiting) >= PIECE:
            self.flush()

    def flush(self):
        """What came close together is one piece."""
        for at in range(0, len(self.waiting), PIECE):
            piece = self.waiting[at : at + PIECE]
            if self.pieces > 0:
                say(kind="stream", name=self.name, text=piece)
            else:
                self.cut += len(piece)
            self.pieces -= 1
        self.waiting = ""

    def show(self, kind, bundle):
        data = {}
        for mime in MIMES:
            value = bundle.get(mime)
            if isinstance(value, list) and mime != "application/json":
                value = "".join(map(str, value))
            if value is not None:
                data[mime] = value if isinstance(value, str) else json.dumps(value)
        size = sum(map(len, data.values()))
        if not data or self.outputs == 0 or size > self.data:
            self.cut += size
            return
        self.outputs -= 1
        self.data -= size
        self.flush()
        say(kind=kind, data=data)
        self.hand_back(data)

    def hand_back(self, data):
        """Figures and tables are files, too."""
        directory = os.environ.get("OUTPUT_DIR")
        if directory is None:
            return
        self.made += 1
        stem = "%d-%d" % (self.count or 0, self.made)
        import base64

        try:
            for mime, end in (("image/png", "png"), ("image/jpeg", "jpg"), ("image/svg+xml", "svg")):
                if mime in data:
                    content = data[mime].encode() if end == "svg" else base64.b64decode(data[mime])
                    with open(os.path.join(directory, "figure-%s.%s" % (stem, end)), "xb") as file:
                        file.write(content)
            if "<table" in data.get("text/html", ""):
                with open(os.path.join(directory, "table-%s.html" % stem), "xb") as file:
                    file.write(data["text/html"].encode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            say(kind="stream", name="stderr", text="glovebox: %s\n" % str(error)[:300])

    def hear(self, message):
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "execute_input":
            self.count = content.get("execution_count")
        elif kind == "stream":
            self.stream("stderr" if content.get("name") == "stderr" else "stdout", str(content.get("text", "")))
        elif kind == "execute_result":
            self.show("result", content.get("data", {}))
        elif kind in ("display_data", "update_display_data"):
            self.show("display", content.get("data", {}))
        elif kind == "error":
            self.flush()
            if self.outputs == 0:
                return False
            self.outputs -= 1
            lines = [str(line)[:20000] for line in content.get("traceback", [])[:100]]
            say(kind="error", name=str(content.get("ename"))[:200], value=str(content.get("evalue"))[:20000], traceback=lines)
        return kind == "status" and content.get("execution_state") == "idle"


def follow(client, asked, kernel, teller):
    """Until the cell is over. Returns what the kernel says of its end, or None when there is no kernel any more."""
    reply, is_idle, until, again = None, False, 0, 0
    while True:
        # Before the cell has begun an interrupt would hit nothing; at its limit it is told again and again.
        if wish["interrupt"] and teller.count is not None and time.monotonic() > again:
            wish["interrupt"], again = wish["limit"], time.monotonic() + 0.5
            client.control_channel.send(client.session.msg("interrupt_request", {}))
        try:
            message = client.get_iopub_msg(timeout=0.1)
        except queue.Empty:
            message = None
        if message is None:
            teller.flush()
        if message is not None and message["parent_header"].get("msg_id") == asked:
            is_idle = teller.hear(message) or is_idle
        if reply is None and (message is None or is_idle):
            try:
                while reply is None:
                    found = client.get_shell_msg(timeout=1 if is_idle else 0)
                    if found["parent_header"].get("msg_id") == asked:
                        reply, until = found["content"], time.monotonic() + 1
            except queue.Empty:
                pass
        # Where more was shown than could be heard, the word that it is over may be lost, too.
        if reply is not None and (is_idle or time.monotonic() > until):
            return reply
        if message is None and reply is None and not is_alive(kernel):
            return None


def cell(context, code):
    def interrupt(number, frame):
        wish["interrupt"] = True
        wish["limit"] = wish["limit"] or number == signal.SIGTERM

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    kernel, teller = kernel_of(context), Teller()
    reply = None
    if is_alive(kernel):
        client = connect(context, 30)
        names = {name: os.environ[name] for name in ("OUTPUT_DIR", "INPUT_DIR") if name in os.environ}
        client.execute("__import__('os').environ.update(%r)" % names, silent=True, store_history=False)
        reply = follow(client, client.execute(code, allow_stdin=False, stop_on_error=False), kernel, teller)
    teller.flush()
    if teller.cut > 0:
        say(kind="cut", characters=teller.cut)
    if reply is None:
        say(kind="end", status="lost")
        return 70
    status = "ok" if reply.get("status") == "ok" else "error"
    say(kind="end", status=status, **({} if teller.count is None else {"count": teller.count}))
    return 124 if wish["limit"] else 0 if status == "ok" else 1


sys.exit(start(sys.argv[2]) if sys.argv[1] == "start" else cell(sys.argv[2], sys.argv[3]))
`;
