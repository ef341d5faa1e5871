// What a person is asked about connections of one sandbox: each place once, however many connections wait for the answer. It decides nothing.
import type { EgressProtocol } from "../contracts/egress-policy.ts";
import type { EgressAnswer, EgressQuestion } from "../contracts/egress-record.ts";

/** Of one sandbox under one policy: a program that asks for ever new places wears nobody out. */
export const mostQuestions = 100;

export type AskBroker = (question: EgressQuestion, clientPort?: number) => Promise<EgressAnswer>;

const usualProtocols: ReadonlyMap<number, EgressProtocol> = new Map([
  [443, "https"],
  [80, "http"],
  [22, "ssh"],
]);

/** What is asked for: the usual of the port, so that an answer opens no more than it must; what may carry anything only where nothing is usual. */
export function protocolsToAsk(port: number, askable: readonly EgressProtocol[]): readonly EgressProtocol[] {
  const usual = usualProtocols.get(port) ?? "tcp";
  return askable.includes(usual) ? [usual] : askable;
}

export class Questions {
  readonly #ask: AskBroker;
  readonly #answers = new Map<string, Promise<EgressAnswer>>();
  #asked = 0;

  constructor(ask: AskBroker) {
    this.#ask = ask;
  }

  /** A grant or a refusal holds for all connections to the place; what nobody answered may be asked again. Never rejects. */
  ask(question: EgressQuestion, clientPort?: number): Promise<EgressAnswer> {
    const { host, port, protocols, rule } = question;
    const identity = JSON.stringify([host, port, protocols, rule]);
    const known = this.#answers.get(identity);
    if (known !== undefined) return known;
    if (this.#asked >= mostQuestions) return Promise.resolve("too-many");
    this.#asked += 1;
    const answers = this.#answers;
    const answering = this.#ask(question, clientPort).then((answer) => {
      const isFinal = answer === "granted" || answer === "refused" || answer === "nobody";
      if (!isFinal && answers.get(identity) === answering) answers.delete(identity);
      return answer;
    });
    answers.set(identity, answering);
    return answering;
  }

  /** An answer was given under the policy of its day, and holds under no other. */
  forget(): void {
    this.#answers.clear();
    this.#asked = 0;
  }
}
