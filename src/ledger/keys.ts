// The two keys of a state directory: `sign` for tree heads, `seal` for wrapping task keys. Made once, together with the log.
import { readFileSync } from "node:fs";
import { isPresent } from "../kit/is-present.ts";
import type { DurableFiles } from "./durable-files.ts";
import type { Layout } from "./layout.ts";
import { inconsistent } from "./ledger-errors.ts";
import { type SigningKey, bindSigningKey, parsePrivateKey, privateKeyFromSeed, seedBytes } from "./signing-key.ts";
import { placeFile, readPrivateFile } from "./state-directory.ts";

export interface LedgerKeys {
  readonly signing: SigningKey;
  /** 32 bytes. */
  readonly seal: Buffer;
  /** `l-` + 32 hex digits. */
  readonly logId: string;
}

const sealBytes = 32;
const originPrefix = "glovebox/";

function readSeal(layout: Layout): Buffer | undefined {
  const seal = readPrivateFile(layout.sealKey);
  if (seal !== undefined && seal.length !== sealBytes) throw inconsistent("ledger.key-foreign", { path: layout.sealKey });
  return seal;
}

/** Loads the keys; undefined when they are not all there. @throws STATE_INSECURE, LEDGER_INCONSISTENT when they do not belong together */
export function loadKeys(layout: Layout): LedgerKeys | undefined {
  const seal = readSeal(layout);
  const pem = readPrivateFile(layout.signKey);
  if (seal === undefined || pem === undefined || !isPresent(layout.verifierKey)) return undefined;
  const published = readFileSync(layout.verifierKey, "utf8").trim();
  const logId = /^glovebox\/(?<log>l-[0-9a-f]{32})\+/u.exec(published)?.groups?.["log"];
  if (logId === undefined) throw inconsistent("ledger.key-foreign", { path: layout.verifierKey });
  const signing = bindSigningKey(parseKey(pem.toString("utf8"), layout.signKey), `${originPrefix}${logId}`);
  if (signing.verifierKey !== published) throw inconsistent("ledger.key-foreign", { path: layout.signKey });
  return { signing, seal, logId };
}

function parseKey(pem: string, path: string): ReturnType<typeof parsePrivateKey> {
  try {
    return parsePrivateKey(pem);
  } catch {
    // fails closed because a log whose heads nobody can sign must not grow
    throw inconsistent("ledger.key-foreign", { path });
  }
}

/** Makes both keys and the log's name, over what an interrupted making left. Only while there is no log. */
export async function makeKeys(layout: Layout, files: DurableFiles, randomBytes: (count: number) => Uint8Array): Promise<LedgerKeys> {
  const logId = `l-${Buffer.from(randomBytes(16)).toString("hex")}`;
  const privateKey = privateKeyFromSeed(randomBytes(seedBytes));
  const seal = Buffer.from(randomBytes(sealBytes));
  const signing = bindSigningKey(privateKey, `${originPrefix}${logId}`);
  await placeFile(files, layout.sealKey, seal);
  await placeFile(files, layout.signKey, privateKey.export({ format: "pem", type: "pkcs8" }));
  await placeFile(files, layout.verifierKey, `${signing.verifierKey}\n`);
  await files.syncPath(layout.keys);
  return { signing, seal, logId };
}
