// The answers to one sandbox's questions for names. Programs ask the same again for each connection: what was granted once is answered from memory
// until the rules change; what is refused is judged, counted and told each time.
import { answerDns, answerSecond, type DnsParts } from "./answer-dns.ts";
import { dnsCodes } from "./dns-message.ts";

/** Questions that are longer, or more of them, are answered all the same. */
const longestKept = 300;
const mostKept = 1024;

/** Of the header; RFC 1035, 4.1.1. */
const numberBytes = 2;
const codeOf = (answer: Uint8Array): number => (answer[3] ?? 0) & 0x0f;

/** By all of a datagram but its number. */
const askedBy = (datagram: Buffer): string => datagram.toString("latin1", numberBytes);

export interface DnsAnswersParts extends DnsParts {
  /** Another number: the rules are others, by which another name may be asked for. */
  rulesNow(): number;
}

interface Known {
  readonly answer: Uint8Array;
  /** To whoever has just asked for the other family. */
  readonly second: { readonly after: string; readonly answer: Uint8Array } | undefined;
}

function known(datagram: Buffer, answer: Uint8Array): Known {
  const second = codeOf(answer) === dnsCodes.ok ? answerSecond(datagram) : undefined;
  return { answer, second: second && { after: askedBy(second.after), answer: second.answer } };
}

export class DnsAnswers {
  readonly #parts: DnsAnswersParts;
  readonly #granted = new Map<string, Known>();
  /** The question before, and the port that it came from. */
  #before = { asked: "", port: 0 };

  #rules: number;

  constructor(parts: DnsAnswersParts) {
    this.#parts = parts;
    this.#rules = parts.rulesNow();
  }

  #forgetUnderOthers(): void {
    const now = this.#parts.rulesNow();
    if (now !== this.#rules) this.#granted.clear();
    this.#rules = now;
  }

  /** Undefined: nothing is answered. @param port of the asker */
  to(datagram: Buffer, port: number): Uint8Array | undefined {
    this.#forgetUnderOthers();
    const asked = askedBy(datagram);
    const found = this.#granted.get(asked) ?? this.#judge(datagram, asked);
    const { asked: before, port: portBefore } = this.#before;
    this.#before = { asked, port };
    if (found === undefined) return undefined;
    const { answer, second } = found;
    const isSecond = second !== undefined && port === portBefore && before === second.after;
    // The last one may still be on its way.
    const numbered = Uint8Array.from(isSecond ? second.answer : answer);
    numbered.set(datagram.subarray(0, numberBytes));
    return numbered;
  }

  #judge(datagram: Buffer, asked: string): Known | undefined {
    const answer = answerDns(datagram, this.#parts);
    if (answer === undefined) return undefined;
    const judged = known(datagram, answer);
    const isKept = codeOf(answer) === dnsCodes.ok && asked.length <= longestKept && this.#granted.size < mostKept;
    if (isKept) this.#granted.set(asked, judged);
    return judged;
  }
}
