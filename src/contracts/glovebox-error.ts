// The one error class. Programs match `code`; people read the catalogue's `error.<situation>.message` and `error.<situation>.hint`.
import { type ErrorCode, type ErrorRow, errorTable } from "./error-table.ts";
import type { Sentence } from "./sentence.ts";

export interface GloveboxErrorOptions {
  /** Fill the catalogue's sentence and are the machine-readable details; never a secret. */
  readonly values?: Readonly<Record<string, string | number>>;
  readonly cause?: unknown;
}

export class GloveboxError extends Error {
  override readonly name = "GloveboxError";
  readonly code: ErrorCode;
  /** What happened, in catalogue words, e.g. `wall.bubblewrap-missing`. */
  readonly situation: string;
  readonly values: Readonly<Record<string, string | number>>;

  /** @param situation key of the catalogue without `error.` and without `.message` / `.hint` */
  constructor(code: ErrorCode, situation: string, options: GloveboxErrorOptions = {}) {
    const values = options.values ?? {};
    const shown = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    super([`${code}: ${situation}`, ...shown].join(" "), options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.situation = situation;
    this.values = values;
  }

  get row(): ErrorRow {
    return errorTable[this.code];
  }

  /** *Cannot <verb> "<object>": <state>* */
  get sentence(): Sentence {
    return { key: `error.${this.situation}.message`, values: this.values };
  }

  /** An imperative with the command or setting that helps. */
  get hint(): Sentence {
    return { key: `error.${this.situation}.hint`, values: this.values };
  }
}

/** As Node writes them. No code of ours looks so: they are words that are joined. */
const ofNode = /^(?:E[A-Z0-9]+|ERR_[A-Z0-9_]+)$/u;

/** The Node error code (`ENOENT`, ...) of an unknown thrown value, or undefined: for our own refusals too, which are passed on as they are. */
export function systemErrorCode(error: unknown): string | undefined {
  if (error instanceof Error && "code" in error && typeof error.code === "string" && ofNode.test(error.code)) return error.code;
  return undefined;
}
