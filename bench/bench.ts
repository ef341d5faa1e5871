// `npm run bench`: every number that SPECIFICATION.md promises as a ratio, measured in one run on this machine.
import { capture } from "../src/kit/spawn.ts";
import { benchCaptive } from "./captive.ts";
import { benchCommandLine } from "./command-line.ts";
import { benchExec } from "./exec.ts";
import { benchGate } from "./gate.ts";
import { benchGateOpen } from "./gate-open.ts";
import { benchIdle } from "./idle.ts";
import { benchLateMasks } from "./late-masks.ts";
import { benchLedger, ledgerBenchLines } from "./ledger.ts";
import { benchLibrary } from "./library.ts";
import { machineLine } from "./measure.ts";
import { benchMediator } from "./mediator.ts";
import { benchOpen } from "./open.ts";

console.log(machineLine());
console.log((await capture("/usr/bin/bwrap", ["--version"])).stdout.trim());
await benchOpen();
await benchExec();
await benchIdle();
await benchMediator();
await benchLateMasks();
await benchCaptive();
await benchGateOpen();
await benchGate();
await benchLibrary();
await benchCommandLine();
console.log("\nledger");
for (const line of ledgerBenchLines(await benchLedger())) console.log(`  ${line}`);
