// Commitments to bytes of a task, under its salt: to some at once, or to a stream as it comes.
import { createHmac, type Hmac } from "node:crypto";
import type { StreamCommitment } from "../contracts/ledger.ts";
import { type Commitment, commitmentSchema } from "../contracts/ledger-record.ts";
import type { TaskKey } from "./task-keys.ts";

const hmacOf = ({ salt }: TaskKey): Hmac => createHmac("sha256", salt);
const finish = (hmac: Hmac): Commitment => commitmentSchema.parse(`hmac:${hmac.digest("hex")}`);

export class Commitments {
  /** Most streams of most commands are empty: what stands for no bytes is made once for each task. */
  readonly #toNothing = new WeakMap<TaskKey, Commitment>();

  to(key: TaskKey, bytes: Uint8Array | string): Commitment {
    return finish(hmacOf(key).update(bytes));
  }

  openStream(key: TaskKey): StreamCommitment {
    let hmac: Hmac | undefined;
    return {
      update: (bytes) => void (hmac ??= hmacOf(key)).update(bytes),
      digest: () => (hmac === undefined ? this.#nothing(key) : finish(hmac)),
    };
  }

  #nothing(key: TaskKey): Commitment {
    const known = this.#toNothing.get(key) ?? this.to(key, "");
    this.#toNothing.set(key, known);
    return known;
  }
}
