// Turns what the program of the captive network says on its way into what a person can do.
import { GloveboxError } from "../contracts/glovebox-error.ts";
import type { Sentence } from "../contracts/sentence.ts";
import { isExecutable } from "../linux/linux.ts";

/** `captive: STEP ERRNO`, one line. */
const line = /^captive: (\w+) (\S+)$/mu;

/** What repairs a step that failed on this machine. */
const fixes: ReadonlyMap<string, string> = new Map([
  ["namespaces", "wall.fix.captive-namespaces"],
  ["links", "wall.fix.captive-links"],
  ["rules", "wall.fix.captive-rules"],
  ["listeners", "wall.fix.captive-links"],
  ["log", "wall.fix.captive-log"],
]);

export interface CaptiveFailure {
  /** `STEP ERRNO` */
  readonly detail: string;
  readonly fix: Sentence;
}

/** Undefined when it said nothing. */
export function captiveFailure(stderr: string): CaptiveFailure | undefined {
  const [, step, errno] = line.exec(stderr) ?? [];
  if (step === undefined || errno === undefined) return undefined;
  return { detail: `${step} ${errno}`, fix: { key: fixes.get(step) ?? "wall.fix.setup" } };
}

/** Undefined when it said nothing. */
export function captiveError(stderr: string): GloveboxError | undefined {
  const failure = captiveFailure(stderr);
  if (failure === undefined) return undefined;
  return new GloveboxError("WALL_UNAVAILABLE", "wall.captive", { values: { detail: failure.detail } });
}

/** @throws WALL_UNAVAILABLE */
export function requireCaptive(path: string): void {
  if (!isExecutable(path)) throw new GloveboxError("WALL_UNAVAILABLE", "wall.captive-missing", { values: { path } });
}
