// What a format reader throws: everything it found wrong with the text, before there is a document to speak of.

export interface Fault {
  /** Key of the catalogue below `error.`; its code is POLICY_SYNTAX. */
  readonly situation: string;
  readonly line: number;
  /** Dotted; empty for the document itself. */
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

export class SourceFault extends Error {
  override readonly name = "SourceFault";
  readonly faults: readonly [Fault, ...Fault[]];

  constructor(faults: readonly [Fault, ...Fault[]]) {
    super(faults[0].situation);
    this.faults = faults;
  }
}

export function failSource(situation: string, line: number, values: Readonly<Record<string, string | number>> = {}, key = ""): never {
  throw new SourceFault([{ situation, line, key, values }]);
}
