// Interpreters: files, processes, threads and shared memory as their libraries use them.
import type { ToolCase } from "./tool-case.ts";

export const languages: readonly ToolCase[] = [
  {
    name: "node: files, workers, child processes, watches",
    strictToo: true,
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
    name: "node: its test runner with isolation, a snapshot, a reporter's file and a cluster",
    needs: ["node"],
    script: `mkdir test && cat > test/one.test.mjs <<'END'
import test from "node:test";
import assert from "node:assert";
import { mkdtempSync, writeFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
test("adds", () => assert.equal(1 + 1, 2));
test("has a place for files", () => { const place = mkdtempSync(tmpdir() + "/x-"); writeFileSync(place + "/f", "x"); assert.deepEqual(readdirSync(place), ["f"]); rmSync(place, { recursive: true }); });
test("is not done", { todo: true }, () => assert.fail());
END
cat > test/two.test.cjs <<'END'
const test = require("node:test"), cluster = require("node:cluster");
if (cluster.isPrimary) test("forks", (t, done) => cluster.fork().on("message", (word) => (word === "hello" ? done() : done(new Error(word)))));
else { process.send("hello"); process.disconnect(); }
END
node --test --test-reporter=tap --test-reporter-destination=report.tap && grep -E '^# (tests|pass|fail|todo)' report.tap`,
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
    name: "python: multiprocessing with queue, pool and shared memory",
    strictToo: true,
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
    name: "python: every way to start a process, a manager, futures, a semaphore between strangers",
    needs: ["python3"],
    script: `cat > main.py <<'END'
import asyncio, multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
def triple(number): return 3 * number
def note(shared, gate):
    with gate: shared["note"] = mp.current_process().name != "MainProcess"
async def shell():
    child = await asyncio.create_subprocess_exec("sh", "-c", "read x; echo got $x", stdin=-1, stdout=-1)
    return (await child.communicate(b"it\\n"))[0]
if __name__ == "__main__":
    for way in ("fork", "spawn", "forkserver"):
        context = mp.get_context(way)
        with context.Pool(2) as pool: print(way, pool.map(triple, [1, 2]))
    with mp.Manager() as manager:
        shared, gate = manager.dict(), mp.Semaphore(1)
        child = mp.Process(target=note, args=(shared, gate)); child.start(); child.join(); print(dict(shared))
    with ProcessPoolExecutor(2) as pool: print(list(pool.map(triple, range(4))))
    values = mp.Array("i", 3); values[1] = 5; print(list(values), asyncio.run(shell()))
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
    name: "python: unittest discovers and runs a suite, bytecode is cached, a zip application runs",
    needs: ["python3"],
    script: `mkdir -p pkg tests app && echo 'def f(): return 1' > pkg/__init__.py && touch tests/__init__.py && echo 'print("zipped")' > app/__main__.py
printf 'import unittest, pkg\\nclass T(unittest.TestCase):\\n    def test_one(self): self.assertEqual(pkg.f(), 1)\\n    def test_two(self):\\n        with self.assertRaises(KeyError): {}["x"]\\n' > tests/test_pkg.py
python3 -m unittest discover -v 2>&1 | grep -E '^(test_|Ran|OK)' | sed 's/ (.*)//; s/ in .*//' && find pkg -name '*.pyc' | wc -l && python3 -m zipapp app && python3 app.pyz && python3 -m compileall -q tests && echo compiled`,
  },
  {
    name: "perl and awk",
    needs: ["perl", "awk"],
    script: `perl -e 'print join(",", map { $_ ** 2 } 1..5), "\\n"' && seq 10 | awk '{ s += $1 } END { print s }'`,
  },
  {
    name: "perl: editing in place, locks, pipes, fork",
    needs: ["perl"],
    script: `printf 'a\\nb\\n' > f && perl -pi.bak -e 's/a/z/' f && cat f f.bak && perl -MFcntl=:flock -e 'open my $f, ">>", "lock"; flock($f, LOCK_EX) or die; print "locked\\n"; open my $p, "-|", "echo piped"; print <$p>; close $p; if (!fork) { exit 3 } wait; print $? >> 8, "\\n"'`,
  },
];
