// Where the files lie that one command handed back, below the task's own directory, whose name says until when. INVARIANT I-10
import path from "node:path";

export interface ArtifactPlace {
  /** Of the task. */
  readonly directory: string;
  readonly action: string;
}

export const artifactDirectory = ({ directory, action }: ArtifactPlace): string => path.join(directory, action);

/** Bound to the bytes: no piece of one command can stand in the place of another's. */
export const pieceName = ({ action }: ArtifactPlace, index: number): string => `artifact/${action}/${index}`;
