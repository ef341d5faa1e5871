// Keys that are nobody's secret: a library that tests itself at its start carries the keys of those tests, and its sources publish them.
import type { SecretKind } from "./secret-shapes.ts";

/** From the top of a tree. */
const selfTested: readonly RegExp[] = [/^usr\/lib\/(?:[^/]+\/)?libgnutls\.so\.[\d.]+$/u];

/** Of a private key in a file of that name alone: a token there is found as everywhere. */
export const isPublishedKey = (file: string, kind: SecretKind): boolean =>
  kind === "private-key" && selfTested.some((pattern) => pattern.test(file));
