// Asks the person on the terminal. Without one, or with any answer but yes, nothing is done.
// @ts-check
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { SetupError } from "./setup-error.mjs";

export const onTerminal = () => process.stdin.isTTY && process.stderr.isTTY;

/** @param {import("./context.mjs").SetupContext} context */
export async function agree({ root, forTests, speaker }) {
  const refusal = new SetupError("setup.consent", {
    command: `${path.join(root, "glovebox")} setup --yes${forTests ? " --for-tests" : ""}`,
  });
  if (!onTerminal()) throw refusal;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise((resolve) => terminal.once("close", () => resolve("")));
  const answer = await Promise.race([terminal.question(speaker.sentence("setup.ask")), closed]);
  terminal.close();
  if (!/^(?:y|yes|是|好)$/iu.test(String(answer).trim())) throw refusal;
}
