// Names the points of one action's life between which a crash may come. Tests end the process at each of them in turn.

/** Called when a point is passed. The product does nothing there. */
export type Step = (name: string) => void;

export const noSteps: Step = () => {};
