// C2SP signed notes and verifier keys, read strictly. Shares nothing with the writer.
import { type KeyObject, createHash, createPublicKey, verify } from "node:crypto";

const ed25519 = 1;
/** RFC 8410: everything of an Ed25519 SubjectPublicKeyInfo before its 32 key bytes. */
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex");
const dash = "— ";

export interface VerifierKey {
  readonly name: string;
  readonly id: string;
  readonly key: KeyObject;
}

/** Strict base64: one spelling for each value. */
function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function parseVerifierKey(line: string): VerifierKey | undefined {
  const match = /^(?<name>[^\s+]+)\+(?<id>[0-9a-f]{8})\+(?<key>\S+)$/u.exec(line)?.groups;
  const [name, id, typed] = [match?.["name"], match?.["id"], fromBase64(match?.["key"] ?? "")];
  if (name === undefined || typed?.length !== 33 || typed[0] !== ed25519) return undefined;
  if (createHash("sha256").update(`${name}\n`).update(typed).digest("hex").slice(0, 8) !== id) return undefined;
  return { name, id, key: createPublicKey({ key: Buffer.concat([spkiPrefix, typed.subarray(1)]), format: "der", type: "spki" }) };
}

/** One key a line; undefined when a line is none or there is no line. */
export function parseVerifierKeys(text: string): readonly VerifierKey[] | undefined {
  const keys = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => parseVerifierKey(line.trim()));
  const good = keys.filter((key) => key !== undefined);
  return good.length === 0 || good.length !== keys.length ? undefined : good;
}

export interface Head {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** `forged`: a known key is named but did not sign this. `unknown`: no key that we know is named. */
  readonly signature: "good" | "forged" | "unknown";
}

export interface HeadList {
  readonly heads: readonly Head[];
  /** Why reading stopped early: `torn` = the last note is not finished; `damaged` = something that is no tree head. */
  readonly stopped: "torn" | "damaged" | undefined;
}

function judge(text: string, lines: readonly string[], keys: readonly VerifierKey[]): Head["signature"] {
  let known = false;
  for (const line of lines) {
    const [name, encoded] = line.slice(dash.length).split(" ");
    const blob = fromBase64(encoded ?? "");
    const key = keys.find((one) => one.name === name && one.id === blob?.subarray(0, 4).toString("hex"));
    if (key === undefined || blob === undefined) continue;
    known = true;
    if (verify(null, Buffer.from(text), key.key, blob.subarray(4))) return "good";
  }
  return known ? "forged" : "unknown";
}

function parseHead(text: string, lines: readonly string[], keys: readonly VerifierKey[]): Head | undefined {
  const [origin, size, root] = text.split("\n");
  const hash = fromBase64(root ?? "");
  if (origin === undefined || origin === "" || !/^(?:0|[1-9]\d{0,15})$/u.test(size ?? "") || hash?.length !== 32) return undefined;
  return { origin, size: Number(size), root: hash, signature: judge(text, lines, keys) };
}

/** Reads notes that stand one after another. */
export function parseHeads(bytes: Buffer, keys: readonly VerifierKey[]): HeadList {
  const text = bytes.toString("utf8");
  const heads: Head[] = [];
  for (let start = 0; start < text.length;) {
    const blank = text.indexOf("\n\n", start);
    if (blank < 0) return { heads, stopped: "torn" };
    const lines: string[] = [];
    let end = blank + 2;
    while (text.startsWith(dash, end)) {
      const newline = text.indexOf("\n", end);
      if (newline < 0) return { heads, stopped: "torn" };
      lines.push(text.slice(end, newline));
      end = newline + 1;
    }
    if (lines.length === 0) return { heads, stopped: dash.startsWith(text.slice(end)) ? "torn" : "damaged" };
    const head = parseHead(text.slice(start, blank + 1), lines, keys);
    if (head === undefined) return { heads, stopped: "damaged" };
    heads.push(head);
    start = end;
  }
  return { heads, stopped: undefined };
}
