// The escape battery. Each attack must succeed outside any boundary, fail inside, and fail or succeed with a layer taken away exactly as its row
// declares: so the matrix in the documents is proven. Everything is judged from the host, never by what the attacker says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { observe } from "../fixtures/observe/observe.ts";
import type { Observation } from "../fixtures/observe/reading.ts";
import { assertNothingLeft } from "../fixtures/residue.ts";
import { attacks } from "./attacks.ts";
import { type Attack, type UserKind, insideConfigurations, mustFail } from "./harness/attack.ts";
import { groundPrefix } from "./harness/ground.ts";
import { type ProgramCache, openProgramCache } from "./harness/program.ts";
import { type Verdict, runAttack } from "./harness/run-attack.ts";

const user: UserKind = process.getuid?.() === 0 ? "root" : "ordinary";
const mine = attacks.filter((attack) => (attack.users ?? ["root", "ordinary"]).includes(user));

let programs: ProgramCache;
/** What was there when the last attack had ended. */
let seen: Observation;
let provenControls = 0;
let gatheredRows = 0;

before(async () => {
  programs = await openProgramCache();
  seen = look();
});

after(async () => {
  await programs[Symbol.asyncDispose]();
});

/** True when the control failed only because this kernel does not have the attacked feature. */
function isAbsentHere(attack: Attack, control: Verdict): boolean {
  return !control.succeeded && (attack.absentWhen ?? []).some((name) => control.output.includes(`: ${name}`));
}

/** What carries the name of this run's grounds, or descends from this process. */
const look = (): Observation => observe({ markers: [groundPrefix], ancestors: [process.pid] });

/** Whatever the attack did: nothing of its sandboxes is left on the host. */
async function proveAndLeaveNothing(attack: Attack): Promise<void> {
  const before = seen;
  try {
    await prove(attack);
  } finally {
    seen = look();
  }
  assertNothingLeft(before, seen);
}

async function prove(attack: Attack): Promise<void> {
  const control = await runAttack(attack, "outside", programs);
  const absent = isAbsentHere(attack, control);
  assert.ok(control.succeeded || absent, `the positive control failed, so this row proves nothing:\n${control.output}`);
  if (control.succeeded) provenControls++;
  for (const configuration of insideConfigurations) {
    const verdict = await runAttack(attack, configuration, programs);
    assert.ok(verdict.attempted, `with ${configuration}: the program never came to its deed:\n${verdict.output}`);
    const held = absent || mustFail(attack, configuration);
    assert.equal(verdict.succeeded, !held, `with ${configuration} the attack must ${held ? "fail" : "succeed"}:\n${verdict.output}`);
    assert.deepEqual(verdict.gathered?.quarantined ?? [], [], "prevention is the promise: nothing may be left to put into quarantine");
    if ((verdict.gathered?.changes ?? 0) > 0) gatheredRows++;
  }
}

for (const attack of mine) test(`an attack that ${attack.name}`, () => proveAndLeaveNothing(attack));

test("what an attack left in a write root was looked through for names to put into quarantine", () => {
  assert.ok(gatheredRows > 30, `${gatheredRows} rows changed something`);
});

test("most positive controls succeeded on this kernel", () => {
  assert.ok(provenControls >= mine.length - 5, `${provenControls} of ${mine.length} controls succeeded`);
});
