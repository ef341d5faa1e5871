// A command that begins by going to another directory, as agents write them. Of the agent's shell, which is to stand there afterwards, only that first
// step is asked, so that what it does is known before anything ran; everything else of the command is no matter of this file.
import path from "node:path";

export interface LeadingCd {
  /** Absolute; its links are not followed. */
  readonly directory: string;
  /** What follows. */
  readonly rest: string;
}

/** A word that means itself in every shell: quoted without anything that is expanded, or of characters that nothing is made of. */
const step = /^\s*cd[ \t]+(?:--[ \t]+)?(?:'([^'\n]+)'|"([^"$`\\!\n]+)"|([\w./@%+:,][\w./@%+:,-]*))[ \t]*(&&|;|\n|$)\s*([^]*)$/u;

/** A chain of them is one step. */
const stepsMax = 8;

function oneStep(script: string, cwd: string): LeadingCd | undefined {
  const [, single, double, bare, end, rest = ""] = step.exec(script) ?? [];
  const word = single ?? double ?? bare;
  const isBroken = end === "&&" && rest === "";
  // A quoted word with a dash in front is an option, or the directory from before.
  return word === undefined || isBroken || word.startsWith("-") ? undefined : { directory: path.resolve(cwd, word), rest };
}

/** @param cwd absolute @returns undefined: it begins otherwise, or nobody can tell where it would go */
export function leadingCd(script: string, cwd: string): LeadingCd | undefined {
  let found: LeadingCd | undefined;
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const next = oneStep(found?.rest ?? script, found?.directory ?? cwd);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}
