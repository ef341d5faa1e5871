// A command inside a sandbox and the door of the broker that holds it: the socket, its keys and tokens are not there, by no path and no descriptor.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { capture } from "../../src/kit/spawn.ts";
import { serveBroker, shell } from "../fixtures/served-broker.ts";

/** Looks for a connection among its own descriptors, connects to each path it is given, and reads each; prints what it got. */
const attack = `import os, socket, stat, sys
for fd in range(3, 1024):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode): print("socket", fd)
    except OSError: pass
for path in sys.argv[1:]:
    try:
        s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(path)
        if s.recv(100): print("greeted", path)
    except OSError: pass
    try: print("read", path, open(path).read(8))
    except OSError: pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    for place in ("root", "cwd"):
        for path in sys.argv[1:]:
            if os.path.exists(f"/proc/{pid}/{place}{path}"): print("there", pid, path)
print("tried")`;

test("a command in a sandbox reaches neither the door that it came through nor what opens it", async (t) => {
  const served = await serveBroker(t);
  const access = await served.open();
  const token = path.join(served.state, "door", `${access.sandbox}.token`);
  const keys = ["open", "admin", "approve"].map((name) => path.join(served.state, `door/${name}.key`));
  const targets = [served.socketPath, ...keys, token];
  const outside = await capture("/usr/bin/python3", ["-c", attack, ...targets]);
  assert.match(outside.stdout, /^greeted /mu);
  assert.equal(outside.stdout.match(/^read /gmu)?.length, 4);
  assert.match(outside.stdout, /^there /mu);
  const words = targets.map((target) => `'${target}'`).join(" ");
  const inside = await shell(served, access, `cat > attack.py; python3 attack.py ${words}`, { input: attack });
  assert.equal(inside.output, "tried\n");
});
