// From the bytes of a bridge to its documents. Whoever runs code inside may be the one who speaks: every line is bounded and checked. INVARIANT I-13
import { cellBounds, type CellDocument, cellDocumentSchema } from "../../contracts/cells.ts";

const lineFeed = 0x0a;

/** It spoke otherwise than a bridge does. */
export class BridgeBroken extends Error {}

function parse(line: string): CellDocument {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new BridgeBroken("not JSON", { cause: error });
  }
  const parsed = cellDocumentSchema().safeParse(value);
  if (!parsed.success) throw new BridgeBroken("not a document", { cause: parsed.error });
  return parsed.data;
}

export class DocumentReader {
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #documents = 0;

  /** @throws BridgeBroken */
  read(bytes: Uint8Array): readonly CellDocument[] {
    this.#bytes += bytes.length;
    if (this.#bytes > cellBounds.bytes) throw new BridgeBroken("too much");
    const found: CellDocument[] = [];
    let from = 0;
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      this.#documents += 1;
      if (this.#documents > cellBounds.documents) throw new BridgeBroken("too many");
      found.push(parse(this.#line(bytes.subarray(from, at))));
      from = at + 1;
    }
    // A copy: the sender may use its buffer again.
    if (from < bytes.length) this.#waiting.push(Uint8Array.from(bytes.subarray(from)));
    return found;
  }

  #line(last: Uint8Array): string {
    const decoder = new TextDecoder("utf-8");
    const text = this.#waiting.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode(last);
    this.#waiting = [];
    return text;
  }
}
