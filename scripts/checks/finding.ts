// What a checker of this repository reports: where, what is wrong, and how to put it right.

export interface Finding {
  /** `file` or `file:line`, relative to the repository. */
  readonly place: string;
  readonly problem: string;
  /** An imperative. */
  readonly fix: string;
}

export interface Check {
  readonly name: string;
  /** @returns what is wrong; an empty list is success */
  run(root: string): Promise<readonly Finding[]> | readonly Finding[];
}

export const findingLine = ({ place, problem, fix }: Finding): string => `${place}: ${problem}. ${fix}.`;
