// A sandbox that stays open: a server goes on in it between commands, and a port of this machine leads there.
//   node dev-server.mts PROJECT
import { Glovebox, type OpenSandbox } from "glovebox";

const portInside = 8000;

/** Until the server says on which port it listens. */
async function startServer(sandbox: OpenSandbox): Promise<void> {
  const { action } = await sandbox.detach(["python3", "-u", "-m", "http.server", String(portInside), "--bind", "127.0.0.1"]);
  const server = await sandbox.attach(action, { signal: AbortSignal.timeout(20_000) });
  for await (const { bytes } of server.output) if (new TextDecoder().decode(bytes).includes(`port ${portInside}`)) return;
  throw new Error("The server ended before it listened");
}

await using glovebox = new Glovebox();
const sandbox = await glovebox.open({ project: process.argv[2] ?? ".", idleMs: 600_000 });
await sandbox.files.write("page.html", "<p>from inside</p>\n");
await startServer(sandbox);

const forwarding = await sandbox.forward(portInside);
const answer = await fetch(`http://127.0.0.1:${forwarding.port}/page.html`);
console.log(`the host got ${answer.status}: ${(await answer.text()).trim()}`);
await forwarding.close();

// Another command sees the same server, and everything that the first ones left.
const seen = await sandbox.exec(["sh", "-c", "ls; ps -e -o args= | grep -c [h]ttp.server"]);
console.log(seen.stdout.text.trim());

const { changes, ledger } = await sandbox.close();
console.log(`changed: ${changes?.counts.created ?? 0} created; records ${ledger.firstSeq} to ${ledger.lastSeq}`);
