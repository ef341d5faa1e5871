// Keys that sources put together while running. Each row is a promise that every key below the prefix can occur there.

export interface DynamicText {
  readonly file: string;
  readonly prefix: string;
}

export const dynamicTexts: readonly DynamicText[] = [
  { file: "src/cli/commands/ledger-verify.ts", prefix: "ledger.finding." },
  { file: "src/broker/answer-sheet.ts", prefix: "task.happened." },
  { file: "src/broker/answer-sheet.ts", prefix: "task.held.limit-" },
  { file: "src/texts/texts.ts", prefix: "term." },
  { file: "src/cli/hooks/hook-command.ts", prefix: "cli.hook-" },
];

/** These put `error.` in front of a situation that is a literal elsewhere; they use no key of their own. */
export const situationReaders: readonly string[] = [
  "src/contracts/glovebox-error.ts",
  "src/cli/render/problems.ts",
  "src/sdk/public-error.ts",
  "scripts/setup.mjs",
  "scripts/setup/result-file.mjs",
];

/** Literals that look like keys and are none: types of ledger records, keys of policies, what a module knows of itself, and names of files. */
export const notSentences =
  /^(?:policy\.decision|container\.(?:runtime|template)|import\.meta\.[a-z]+|log\.[a-z-]+|execution\.[a-z-]+|result\.[a-z-]+|changes\.undone|template\.(?:built|removed)|approval\.(?:asked|answered))$|\.(?:json|jsonl|ya?ml|toml|ts|mjs|md|sock|lock|log|stamp|db|service)$/u;
