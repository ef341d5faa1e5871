// Writes a refusal of set-up into the `--result-file` of a run: what an earlier call left there must not pass for this one.
// @ts-check
import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** What could turn a line of the file into something else for who reads it. */
const unsafe = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** @param {string} character */
const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * The shape of src/contracts/run-result-file.ts. Never throws: the refusal itself is what must be heard.
 * @param {string} file
 * @param {import("./setup-error.mjs").SetupError} error
 * @param {{ speaker: import("./speaker.mjs").Speaker, exitCode: number }} how
 */
export function writeRefusal(file, { situation, values }, { speaker, exitCode }) {
  const message = speaker.sentence(`error.${situation}.message`, values);
  const hint = speaker.sentence(`error.${situation}.hint`, values);
  const document = { format: 1, exitCode, error: { code: "SETUP_NEEDED", message, hint, values } };
  const temporary = `${file}.${process.pid}.new`;
  try {
    // The write ends in a rename: it must not replace a device, a pipe or a link that somebody else may have placed.
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return;
    writeFileSync(temporary, `${JSON.stringify(document, null, 2).replaceAll(unsafe, escaped)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true }); // a place that cannot be written is the next thing to repair, after set-up
  }
}
