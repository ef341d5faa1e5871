// Proves one row of the battery: outside the attack succeeds, inside it ends as the row declares, and nothing of it is left on the host.
import assert from "node:assert/strict";
import { observe } from "../../fixtures/observe/observe.ts";
import type { Observation } from "../../fixtures/observe/reading.ts";
import { assertNothingLeft } from "../../fixtures/residue.ts";
import { type Attack, type Configuration, insideConfigurations, mustFail, type UserKind } from "./attack.ts";
import { groundPrefix } from "./ground.ts";
import { type ProgramCache, openProgramCache } from "./program.ts";
import { runAttack, type Verdict } from "./run-attack.ts";

export type Inside = Exclude<Configuration, "outside">;

export const user: UserKind = process.getuid?.() === 0 ? "root" : "ordinary";

const usersOf = (attack: Attack): readonly UserKind[] => attack.users ?? ["root", "ordinary"];

export const isMine = (attack: Attack): boolean => usersOf(attack).includes(user);

/**
 * What the short lanes try: both walls as everybody; one wall, and none, as the ordinary user, and as root where only root attacks. The rest is
 * root's part of the long lane.
 */
export function shortConfigurations(attack: Attack): readonly Inside[] {
  return user === "root" && usersOf(attack).includes("ordinary") ? ["both"] : insideConfigurations;
}

/** True when the control failed only because this kernel does not have the attacked feature. */
function isAbsentHere(attack: Attack, control: Verdict): boolean {
  return !control.succeeded && (attack.absentWhen ?? []).some((name) => control.output.includes(`: ${name}`));
}

/** What carries the name of this run's grounds, or descends from this process. */
const look = (): Observation => observe({ markers: [groundPrefix], ancestors: [process.pid] });

export class Battery implements AsyncDisposable {
  readonly #programs: ProgramCache;
  /** What was there when the last attack had ended. */
  #seen = look();
  provenControls = 0;
  gatheredRows = 0;

  static async open(): Promise<Battery> {
    return new Battery(await openProgramCache());
  }

  private constructor(programs: ProgramCache) {
    this.#programs = programs;
  }

  /** Whatever the attack did: nothing of its sandboxes is left on the host. */
  async prove(attack: Attack, configurations: readonly Inside[]): Promise<void> {
    const before = this.#seen;
    try {
      await this.#tryAll(attack, configurations);
    } finally {
      this.#seen = look();
    }
    assertNothingLeft(before, this.#seen);
  }

  async #tryAll(attack: Attack, configurations: readonly Inside[]): Promise<void> {
    const control = await runAttack(attack, "outside", this.#programs);
    const absent = isAbsentHere(attack, control);
    assert.ok(control.succeeded || absent, `the positive control failed, so this row proves nothing:\n${control.output}`);
    if (control.succeeded) this.provenControls += 1;
    for (const configuration of configurations) {
      const verdict = await runAttack(attack, configuration, this.#programs);
      assert.ok(verdict.attempted, `with ${configuration}: the program never came to its deed:\n${verdict.output}`);
      const held = absent || mustFail(attack, configuration);
      assert.equal(verdict.succeeded, !held, `with ${configuration} the attack must ${held ? "fail" : "succeed"}:\n${verdict.output}`);
      assert.deepEqual(verdict.gathered?.quarantined ?? [], [], "prevention is the promise: nothing may be left to put into quarantine");
      if ((verdict.gathered?.changes ?? 0) > 0) this.gatheredRows += 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#programs[Symbol.asyncDispose]();
  }
}
