// How formatter, linter and compiler are started: the first word is a file below the repository.

export type ProgramCommand = readonly [string, ...string[]];

export const formatCommand: ProgramCommand = ["node_modules/oxfmt/bin/oxfmt", "--list-different", "."];
export const lintCommand: ProgramCommand = ["node_modules/oxlint/bin/oxlint", "--deny-warnings", "--format=unix"];
export const typesCommand: ProgramCommand = ["node_modules/typescript/bin/tsc", "-p", "."];
