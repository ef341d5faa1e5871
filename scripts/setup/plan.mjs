// What is missing, as steps in the order in which they must happen; and doing them.
// @ts-check
import { rmSync } from "node:fs";
import { bundleIsCurrent, makeBundle } from "./bundle.mjs";
import { onTerminal } from "./consent.mjs";
import { installPackages, missingPackages, rootPrefix } from "./debian.mjs";
import { buildNative, nativeIsBuilt } from "./native.mjs";
import { installNpmPackages, npmIsComplete, pinnedVersion } from "./npm.mjs";
import { logFile } from "./run-logged.mjs";
import { writeStamp } from "./stamp.mjs";

/** @typedef {{ key: string, values: Readonly<Record<string, string>>, perform: () => void, needsRoot?: () => void }} Step */

/**
 * @param {import("./context.mjs").SetupContext} context
 * @returns {Step[]} empty when nothing is missing
 */
export function makePlan(context) {
  /** @type {Step[]} */
  const steps = [];
  const names = missingPackages(context.forTests);
  if (names.length > 0) {
    const prefix = () => rootPrefix(names, onTerminal());
    steps.push({
      key: "setup.plan.debian",
      values: { packages: names.join(" ") },
      needsRoot: prefix,
      perform: () => installPackages(context, names, prefix()),
    });
  }
  if (!npmIsComplete(context.root)) {
    steps.push({ key: "setup.plan.npm", values: { version: pinnedVersion(context.root) }, perform: () => installNpmPackages(context) });
  }
  if (!nativeIsBuilt(context)) steps.push({ key: "setup.plan.native", values: {}, perform: () => buildNative(context) });
  // New packages may bring another bundler: then the old bundle is not looked at.
  const isCurrent = steps.every(({ key }) => key !== "setup.plan.npm") && bundleIsCurrent(context);
  if (!isCurrent) steps.push({ key: "setup.plan.bundle", values: {}, perform: () => makeBundle(context) });
  return steps;
}

/**
 * The tests need more than Glovebox itself: a clone that is set up is still told so. What was agreed to will happen, the rest would.
 * @param {{ yes: boolean, forTests: boolean }} how
 */
export function planTitle({ yes, forTests }) {
  if (forTests) return yes ? "setup.plan.for-tests-agreed" : "setup.plan.for-tests";
  return yes ? "setup.plan.agreed" : "setup.plan.title";
}

/**
 * Shows the plan, and refuses at once what could not be carried out.
 * @param {import("./context.mjs").SetupContext} context
 * @param {readonly Step[]} plan
 */
export function presentPlan({ speaker, yes, forTests }, plan) {
  speaker.say(planTitle({ yes, forTests }));
  for (const step of plan) speaker.write(`  - ${speaker.sentence(step.key, step.values)}\n`);
  for (const step of plan) step.needsRoot?.();
}

/**
 * @param {import("./context.mjs").SetupContext} context
 * @param {readonly Step[]} plan
 */
export function performPlan(context, plan) {
  const { speaker } = context;
  rmSync(logFile(context), { force: true });
  for (const [index, { key, values, perform }] of plan.entries()) {
    speaker.say("setup.step", { number: index + 1, total: plan.length, step: speaker.sentence(key, values) });
    const startedMs = Date.now();
    perform();
    speaker.say("setup.step.done", { seconds: ((Date.now() - startedMs) / 1000).toFixed(1) });
  }
  writeStamp(context);
}
