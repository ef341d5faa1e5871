// Who has the terminal of a run: its command, or one question to the person. While a question stands, nothing that the command prints passes, and
// nothing that is typed goes to it. INVARIANT I-12
import type { AskPerson } from "../../contracts/approval.ts";

/** Keeps the keyboard from the command, until what it returns is called. */
export type HoldInput = () => Promise<() => void>;

export class PromptTurn {
  /** Resolves when no question waits or stands. */
  #idle: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #writing = new Set<Promise<void>>();

  /** Writes when no question stands. */
  async pass(write: () => Promise<void>): Promise<void> {
    while (this.#waiting > 0) await this.#idle;
    const writing = write();
    this.#writing.add(writing);
    try {
      await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  /** After the last question: the terminal is the run's again. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#idle;
  }

  /** One after the other. */
  asking(ask: AskPerson, hold: HoldInput): AskPerson {
    return (question, signal) => {
      this.#waiting += 1;
      const before = this.#idle;
      const asked = (async () => {
        await before;
        await Promise.allSettled(this.#writing);
        // Withdrawn while others were asked: nobody hears the answer.
        if (signal.aborted) return { answer: "refused", by: "terminal" } as const;
        const giveBack = await hold();
        try {
          return await ask(question, signal);
        } finally {
          giveBack();
        }
      })();
      this.#idle = asked.then(
        () => (this.#waiting -= 1),
        () => (this.#waiting -= 1), // whoever asked hears of it
      );
      return asked;
    };
  }
}
