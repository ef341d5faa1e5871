// Tells a client that its call goes on: when a person is asked, when the command starts, then as output comes, and from time to time when none does. It
// says how much, never what.
import type { Sentence } from "../contracts/sentence.ts";
import { showBytes } from "../kit/show-quantity.ts";
import type { Say } from "./tool.ts";

/** `value` only goes up. Resolves when it is sent. */
export type SendProgress = (value: number, message: string) => Promise<void>;

const lookMs = 500;
/** Looks without news after which it says so all the same: clients give up on calls of which they hear nothing. */
const quietLooks = 10;

export class Progress {
  readonly #say: Say;
  readonly #send: SendProgress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #value = 0;
  #bytes = 0;
  #toldBytes = 0;
  #looks = 0;
  #isSending = false;
  /** The question that the command waits for. */
  #approval: string | undefined;

  /** @param send undefined when the client did not ask for it */
  constructor(say: Say, send: SendProgress | undefined) {
    this.#say = say;
    this.#send = send;
  }

  /** A person elsewhere is asked first. */
  wait(approval: string): void {
    this.#approval = approval;
    this.#begin();
  }

  /** The command runs. */
  start(): void {
    this.#approval = undefined;
    this.#begin();
  }

  #begin(): void {
    if (this.#send === undefined) return;
    this.#tell(this.#send);
    this.#timer ??= setInterval(() => this.#look(), lookMs);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#looks += 1;
    if (this.#send !== undefined && (this.#bytes > this.#toldBytes || this.#looks >= quietLooks)) this.#tell(this.#send);
  }

  get #news(): Sentence {
    if (this.#approval !== undefined) return { key: "mcp.progress.waits", values: { approval: this.#approval } };
    return { key: "mcp.progress.runs", values: { bytes: showBytes(this.#bytes) } };
  }

  /** A client that does not read gets no second one. */
  #tell(send: SendProgress): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#looks = 0;
    this.#toldBytes = this.#bytes;
    this.#value += 1;
    const sent = (): void => {
      this.#isSending = false;
    };
    send(this.#value, this.#say(this.#news)).then(sent, sent);
  }
}
