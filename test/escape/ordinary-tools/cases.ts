// What ordinary tools must be able to do inside. Each case is a shell script that works in an empty project directory and prints the same wherever
// it runs; what it prints and its exit code are compared between the host and the sandbox.

export interface ToolCase {
  readonly name: string;
  /** Programs that must exist on this machine. */
  readonly needs: readonly string[];
  readonly script: string;
}

const gitSetup = `
export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'
git init -q -b main repo && cd repo
git config user.name 'A Person' && git config user.email person@example.org
echo one > a.txt && git add a.txt && git commit -qm first`;

const versionControl: readonly ToolCase[] = [
  {
    name: "git: init, commit, branch, rebase, merge, stash, gc",
    needs: ["git"],
    script: `${gitSetup}
git checkout -qb topic && echo two > b.txt && git add . && git commit -qm topic
git checkout -q main && echo three > c.txt && git add . && git commit -qm main
git checkout -q topic && git rebase -q main && git checkout -q main && git merge -q topic
echo four >> a.txt && git stash -q && git stash pop -q && git commit -qam fourth
git gc -q && git fsck --strict 2>&1 && git status --short && git log --format='%H %s'`,
  },
  {
    name: "git: clone, worktree, tag, push to a bare repository",
    needs: ["git"],
    script: `${gitSetup}
cd .. && git init -q --bare -b main shared.git && cd repo && git remote add origin ../shared.git && git push -q origin main && git tag v1
git worktree add -q ../tree -b other && cd ../tree && echo x > x.txt && git add . && git commit -qm other && cd ..
git clone -q shared.git copy && git -C copy log --format='%H %s' && git -C repo branch --list && git -C repo worktree prune && ls tree`,
  },
  {
    name: "git: submodule, recursive clone, worktree moved and removed, tracking branch, sparse checkout, notes, bisect, dumb transport lists",
    needs: ["git"],
    script: `${gitSetup}
git checkout -q --track -b follower main && git checkout -q main && git clone -q . ../part 2>/dev/null; cd ../repo
git -c protocol.file.allow=always submodule add -q ../part part && git commit -qm part && git submodule status && cat part/.git && git -C part log --format=%s
cd .. && git -c protocol.file.allow=always clone -q --recurse-submodules repo whole 2>/dev/null; git -C whole submodule status | cut -c1-41
cd repo && git worktree add -q ../tree -b other && git worktree move ../tree ../moved && git -C ../moved status --short && git worktree remove ../moved && git worktree list | wc -l
git notes add -m note && git sparse-checkout set part && ls && git sparse-checkout disable && git bisect start && git bisect reset -q && git branch -m other another
git update-server-info && git repack -adq && git mv a.txt z.txt && git reset -q --hard && git clean -fdq && git config --get-regexp '^(user|submodule)' && git fsck 2>&1`,
  },
];

const languages: readonly ToolCase[] = [
  {
    name: "node: files, workers, child processes, watches",
    needs: ["node"],
    script: `cat > main.mjs <<'END'
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
mkdirSync("made");
const watcher = watch("made");
const seen = once(watcher, "change");
writeFileSync("made/one", "one");
await seen; watcher.close();
renameSync("made/one", "two");
const [doubled] = await once(new Worker("require('node:worker_threads').parentPort.postMessage(21 * 2)", { eval: true }), "message");
console.log(readFileSync("two", "utf8"), doubled, execFileSync("sh", ["-c", "echo child"]).toString().trim());
END
node main.mjs`,
  },
  {
    name: "python: a virtual environment, mapped files, appended logs",
    needs: ["python3"],
    script: `python3 -m venv --without-pip env && env/bin/python -c 'print("inside the environment")' && ls env
python3 -c '
import mmap, os
with open("mapped", "wb+") as file:
    file.truncate(8192)
    view = mmap.mmap(file.fileno(), 8192)
    view[0:5] = b"hello"
    view.flush()
print(open("mapped", "rb").read(5))
logs = [open("log", "a") for _ in range(3)]
for index, log in enumerate(logs): print(index, file=log, flush=True)
print(open("log").read().split(), os.stat("log").st_mode)
'`,
  },
  {
    name: "npm: install from a local tarball, run a script",
    needs: ["node", "npm", "tar"],
    script: `mkdir -p dep/package app && cd dep
echo '{"name":"dep","version":"1.0.0","main":"main.js","bin":{"dep":"cli.js"}}' > package/package.json
echo 'module.exports = "from the tarball"' > package/main.js
printf '#!/usr/bin/env node\\nconsole.log("bin:", require("./main.js"))\\n' > package/cli.js && chmod +x package/cli.js
tar -czf ../dep.tgz package && cd ../app
echo '{"name":"app","version":"1.0.0","scripts":{"go":"dep && node go.js"}}' > package.json && echo 'console.log("go:", require("dep"))' > go.js
npm install --offline --no-audit --no-fund --no-update-notifier --loglevel=error ../dep.tgz >/dev/null && npm run --silent go && ls node_modules`,
  },
  {
    name: "python: multiprocessing with queue, pool and shared memory",
    needs: ["python3"],
    script: `cat > main.py <<'END'
from multiprocessing import Pool, Process, Queue, Lock
from multiprocessing.shared_memory import SharedMemory
def square(number): return number * number
def put(queue, name):
    memory = SharedMemory(name); memory.buf[0] = 42; memory.close(); queue.put("queued")
if __name__ == "__main__":
    with Pool(2) as pool: print(pool.map(square, range(5)))
    memory = SharedMemory(create=True, size=16); queue = Queue()
    child = Process(target=put, args=(queue, memory.name)); child.start(); print(queue.get()); child.join()
    print(memory.buf[0], child.exitcode); memory.close(); memory.unlink()
    with Lock(): print("locked")
END
python3 main.py`,
  },
  {
    name: "python: sqlite with a write-ahead log, temporary files, subprocesses",
    needs: ["python3"],
    script: `cat > main.py <<'END'
import sqlite3, subprocess, tempfile, threading, socket
base = sqlite3.connect("base.db"); print(base.execute("pragma journal_mode=wal").fetchone())
base.execute("create table t (x)"); base.executemany("insert into t values (?)", [(n,) for n in range(100)]); base.commit()
print(sqlite3.connect("base.db").execute("select sum(x) from t").fetchone())
with tempfile.NamedTemporaryFile() as one, tempfile.TemporaryDirectory() as two: one.write(b"x"); print("temporary")
print(subprocess.run(["sh", "-c", "echo out; exit 3"], capture_output=True))
left, right = socket.socketpair(); left.send(b"pair"); print(right.recv(9))
thread = threading.Thread(target=lambda: print("thread")); thread.start(); thread.join()
END
python3 main.py`,
  },
  {
    name: "gcc and make: a library, a program, two jobs at once",
    needs: ["gcc", "make", "ar"],
    script: `printf 'int twice(int x) { return 2 * x; }\\n' > lib.c
printf '#include <math.h>\\n#include <stdio.h>\\nint twice(int);\\nint main(void) { printf("%%d %%.3f\\\\n", twice(21), sqrt(2.0)); }\\n' > main.c
printf 'main: main.o lib.a\\n\\tgcc -o $@ main.o lib.a -lm\\nlib.a: lib.o\\n\\tar rcs $@ $<\\n%%.o: %%.c\\n\\tgcc -c -o $@ $<\\n' > Makefile
make -s -j2 && ./main && make -q && echo up-to-date`,
  },
  {
    name: "perl and awk",
    needs: ["perl", "awk"],
    script: `perl -e 'print join(",", map { $_ ** 2 } 1..5), "\\n"' && seq 10 | awk '{ s += $1 } END { print s }'`,
  },
];

const files: readonly ToolCase[] = [
  {
    name: "mktemp and TMPDIR",
    needs: ["mktemp"],
    script: `file=$(mktemp) && directory=$(mktemp -d) && echo text > "$file" && stat -c '%a %F' "$file" "$directory" && cat "$file" && rm -r "$file" "$directory"
echo x > /tmp/gb-ordinary-$$ && cat /tmp/gb-ordinary-$$ && rm /tmp/gb-ordinary-$$`,
  },
  {
    name: "tar, find, sort with temporary files, checksums",
    needs: ["tar", "find", "sort", "sha256sum"],
    script: `mkdir -p tree/a/b && seq 1 50000 | sort -R --random-source=/dev/zero > tree/a/b/numbers && chmod 640 tree/a/b/numbers && ln -s a/b/numbers tree/link
tar -czf tree.tgz tree && mkdir out && tar -xzf tree.tgz -C out && find out -type f -size +1k -perm 640 && find out -type l -exec readlink {} +
sort -n -S 100K out/tree/link | sha256sum && du -a tree | wc -l && cmp tree/a/b/numbers out/tree/a/b/numbers && echo same`,
  },
  {
    name: "links, renames across directories, modes, times, copies",
    needs: ["cp", "mv", "ln", "stat", "sed"],
    script: `mkdir one two && echo text > one/file && ln one/file two/hard && mv one/file two/file && stat -c %h two/file
chmod 700 two/file && touch -d 2001-02-03T04:05:06Z two/file && cp -a two three && stat -c '%a %Y' three/file && sed -i s/text/other/ three/file && cat three/file two/hard
cp --reflink=auto three/file four && rm -r one two three && mkdir -p deep/er && mv deep moved && ls moved && umask 077 && touch closed && stat -c %a closed`,
  },
  {
    name: "devices, pipes, locks, shared memory",
    needs: ["flock", "mkfifo", "dd"],
    script: `head -c 4 /dev/urandom | wc -c && echo gone > /dev/null && dd if=/dev/zero bs=1k count=2 2>/dev/null | wc -c && cat /dev/null
mkfifo pipe && { echo through > pipe & } && cat pipe && wait && flock lock -c 'echo locked' && echo stdin | cat /dev/stdin /proc/self/fd/0
echo x > /dev/shm/gb-ordinary-$$ && cat /dev/shm/gb-ordinary-$$ && rm /dev/shm/gb-ordinary-$$ && printf err >&2`,
  },
];

const shells: readonly ToolCase[] = [
  {
    name: "shell: pipelines, jobs, traps, signals, process substitution",
    needs: ["bash"],
    script: `seq 3 | while read n; do echo "n=$n"; done; { exit 7; } & wait $!; echo "job $?"
trap 'echo trapped' USR1; kill -USR1 $$; bash -c 'diff <(seq 3) <(seq 3) && echo equal; coproc cat; echo co >&\${COPROC[1]}; read -r line <&\${COPROC[0]}; echo "$line"'
sleep 100 & kill $! && wait $!; echo "killed $?"; (ulimit -n 64; ulimit -n); nice -n 5 true; timeout 5 true; setsid -w echo session; nohup true; env -i /bin/echo clean; kill -0 $$ && echo alive`,
  },
  {
    name: "a terminal made inside",
    needs: ["script", "stty"],
    script: `script -qec 'stty rows 30 cols 100; stty size; test -t 0 && test -t 1 && echo terminal' /dev/null < /dev/null | tr -d '\\r'`,
  },
];

const network: readonly ToolCase[] = [
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
    name: "unix sockets in the project, TMPDIR and the abstract space",
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
    name: "tmux: a server, a session and commands from other clients",
    needs: ["tmux", "timeout"],
    script: `export TMUX_TMPDIR="$PWD"; unset TMUX
timeout 30 tmux -f /dev/null -L one new-session -d -s work 'echo inside; exec cat' && tmux -L one list-sessions -F '#{session_name}'
until tmux -L one capture-pane -p -t work | grep -q inside; do :; done
tmux -L one capture-pane -p -t work | head -1; tmux -L one kill-server; tmux -L one list-sessions 2>&1 | sed 's/ .*//'`,
  },
  {
    name: "UDP between two local sockets",
    needs: ["python3"],
    script: `python3 -c '
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.bind(("127.0.0.1", 0))
two = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); two.sendto(b"datagram", one.getsockname()); print(one.recv(99))'`,
  },
];

export const toolCases: readonly ToolCase[] = [...versionControl, ...languages, ...files, ...shells, ...network];
