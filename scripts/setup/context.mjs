// The shape of what every step of set-up is handed. Types only.
// @ts-check

/**
 * @typedef {object} SetupContext
 * @property {string} root absolute path of the clone
 * @property {string} build absolute path of the output directory
 * @property {"setup" | "needed" | "help" | "version"} mode `setup` = asked for by name; `needed` = another subcommand found the clone not set up
 * @property {boolean} yes the person agreed on the command line
 * @property {boolean} forTests also what only the tests need
 * @property {NodeJS.ProcessEnv} environment
 * @property {import("./speaker.mjs").Speaker} speaker
 */

export {};
