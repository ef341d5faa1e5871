// What a record says of encrypted pieces that lie outside the ledger; see kit/sealed-pieces.ts.
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

export const storedPiecesSchema = madeOnce(() =>
  z.array(z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/u), bytes: z.int().min(0) })),
);
/** Pieces in order; `sha256` of the encrypted bytes, `bytes` of the plain ones. */
export type StoredPieces = z.infer<ReturnType<typeof storedPiecesSchema>>;

/** Encrypts or decrypts under the task's key; `name` is bound to the bytes. */
export type Seal = (name: string, bytes: Uint8Array) => Uint8Array;
export type Unseal = (name: string, bytes: Uint8Array) => Uint8Array | undefined;
