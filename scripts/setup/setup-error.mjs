// Why set-up stops: a situation of the catalogue's topic `setup`, its values, and the last lines of the log if a program said more.
// @ts-check

export class SetupError extends Error {
  /**
   * @param {string} situation key of the catalogue without `error.` and without `.message` / `.hint`
   * @param {Readonly<Record<string, string | number>>} [values]
   * @param {readonly string[]} [logLines]
   */
  constructor(situation, values = {}, logLines = []) {
    super(situation);
    this.situation = situation;
    this.values = values;
    this.logLines = logLines;
  }
}
