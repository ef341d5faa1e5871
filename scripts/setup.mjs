// Sets this clone up: finds out what is missing, asks, does only that, and notes the result. Plain JavaScript for the Node of the machine.
// Everything it prints goes to stderr: stdout belongs to the command that may follow.
// @ts-check
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArguments } from "./setup/arguments.mjs";
import { agree } from "./setup/consent.mjs";
import { withLock } from "./setup/lock.mjs";
import { refuseInsideSandbox, refuseUnsuitablePlace } from "./setup/place.mjs";
import { makePlan, performPlan, presentPlan } from "./setup/plan.mjs";
import { writeRefusal } from "./setup/result-file.mjs";
import { logFile } from "./setup/run-logged.mjs";
import { SetupError } from "./setup/setup-error.mjs";
import { chooseLanguage, openSpeaker } from "./setup/speaker.mjs";
import { stampIsCurrent } from "./setup/stamp.mjs";

const usageExit = 2;
const refusedExit = 122;

/** @param {import("./setup/context.mjs").SetupContext} context */
async function setUp(context) {
  refuseInsideSandbox();
  const missing = makePlan(context);
  // A bundle makes starts faster and nothing else: for a run it is no reason to ask, only a thing to do along with others.
  const isOnlyFaster = context.mode === "needed" && missing.every(({ key }) => key === "setup.plan.bundle");
  const plan = isOnlyFaster ? [] : missing;
  if (plan.length === 0 && stampIsCurrent(context)) {
    context.speaker.say("setup.nothing-to-do");
    return;
  }
  refuseUnsuitablePlace(context);
  if (plan.length > 0) {
    presentPlan(context, plan);
    if (!context.yes) await agree(context);
  }
  mkdirSync(context.build, { recursive: true });
  // Planned again under the lock: another set-up may just have done its part. What nobody agreed to is not done, whatever came up meanwhile.
  const agreed = new Set(plan.map(({ key }) => key));
  const isAgreed = (/** @type {{ key: string }} */ { key }) => agreed.has(key);
  withLock(context, () => performPlan(context, context.yes ? makePlan(context) : makePlan(context).filter(isAgreed)));
  if (plan.length > 0 || context.mode === "setup") context.speaker.say("setup.ready");
}

/**
 * @param {SetupError} error
 * @param {import("./setup/context.mjs").SetupContext} context
 */
function explain(error, { speaker, build }) {
  if (error.logLines.length > 0) speaker.say("setup.log.title", { log: logFile({ build }) });
  for (const line of error.logLines) speaker.write(`  ${line}\n`);
  speaker.say(`error.${error.situation}.message`, error.values);
  speaker.say(`error.${error.situation}.hint`, error.values);
}

/** @param {import("./setup/context.mjs").SetupContext} context */
function help(context) {
  const isSetUp = makePlan(context).every(({ key }) => key === "setup.plan.bundle") && stampIsCurrent(context);
  const { speaker } = context;
  return `${speaker.sentence("setup.usage")}${isSetUp ? "" : `\n\n${speaker.sentence("setup.usage.not-yet")}`}`;
}

async function main() {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const { options, complaint } = parseArguments(process.argv.slice(2));
  const speaker = openSpeaker(root, chooseLanguage(options.language, process.env), (text) => process.stderr.write(text));
  const context = { root, build: path.join(root, "build"), environment: process.env, speaker, ...options };
  try {
    if (complaint !== undefined) throw new SetupError("setup.usage", { argument: complaint });
    if (options.mode === "help") process.stdout.write(`${help(context)}\n`);
    else if (options.mode === "version")
      process.stdout.write(`glovebox ${JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version}\n`);
    else await setUp(context);
    return 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    explain(error, context);
    if (options.resultFile !== undefined) writeRefusal(options.resultFile, error, { speaker, exitCode: refusedExit });
    return error.situation === "setup.usage" ? usageExit : refusedExit;
  }
}

process.exitCode = await main();
