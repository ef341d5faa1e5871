// The Ed25519 key that signs tree heads, in the forms of C2SP signed-note.
import { type KeyObject, createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";

const ed25519Algorithm = 1;
/** RFC 8410 section 7: everything of a PKCS8 Ed25519 key before its 32 secret bytes. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex");
export const seedBytes = 32;

export interface SigningKey {
  /** Name of the log in every note: `glovebox/<log id>`; also its origin line. */
  readonly name: string;
  /** 8 hex digits; covers name and public key. */
  readonly id: string;
  /** C2SP verifier key: `<name>+<id>+<base64(algorithm || public key)>`. */
  readonly verifierKey: string;
  sign(text: string): Buffer;
  verifies(text: string, signature: Uint8Array): boolean;
}

export function privateKeyFromSeed(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: "der", type: "pkcs8" });
}

/** @throws what node:crypto says when `pem` is not a private key; TypeError when it is of another kind */
export function parsePrivateKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new TypeError("Cannot use the key: it is not an Ed25519 key");
  return key;
}

export function bindSigningKey(privateKey: KeyObject, name: string): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const typed = Buffer.concat([Buffer.of(ed25519Algorithm), publicKey.export({ format: "der", type: "spki" }).subarray(-32)]);
  const id = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), typed]), "hex").slice(0, 8);
  return {
    name,
    id,
    verifierKey: `${name}+${id}+${typed.toString("base64")}`,
    sign: (text) => sign(null, Buffer.from(text), privateKey),
    verifies: (text, signature) => verify(null, Buffer.from(text), publicKey, signature),
  };
}
