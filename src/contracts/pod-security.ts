// The Pod Security Standards applied to descriptions of containers (Kubernetes objects, OCI runtime specs): what is asked, and what is answered.
import type { Sentence } from "./sentence.ts";

export const podSecurityLevels = ["baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** `beyond`: asked by Glovebox where the standard asks nothing. */
export type ControlLevel = PodSecurityLevel | "beyond";

/** What a door is asked. */
export interface PodSecurityRequest {
  /** Absolute. */
  readonly file: string;
  readonly level: PodSecurityLevel;
  /** Without the controls that go beyond the standard. */
  readonly isStandardOnly: boolean;
}

/** One operation of RFC 6902; pointers are from the top of the document. */
export interface PatchOperation {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

export interface PodSecurityViolation {
  /** The check's id of Kubernetes' own admission where it has one, e.g. `hostNamespaces`. */
  readonly control: string;
  readonly level: ControlLevel;
  readonly title: Sentence;
  /** What would be allowed. */
  readonly rule: Sentence;
  /** Dotted, from the top of the document. */
  readonly path: string;
  /** 1-based, in the file; of the nearest thing around what is absent. */
  readonly line: number;
  /** As JSON, cut; undefined when the field is absent. Never a credential. */
  readonly value: string | undefined;
  /** Mends this violation alone. Empty where nobody but the author can know what to write. */
  readonly patch: readonly PatchOperation[];
}

/** One object of a file. */
export interface JudgedObject {
  /** e.g. `Deployment`; `OCI runtime spec`. */
  readonly kind: string;
  /** `namespace/name` or `name`; empty when it has none. */
  readonly name: string;
  /** 0-based, of the document in the file that it is or lies in. */
  readonly document: number;
  /** False: a kind that holds no pod. */
  readonly isJudged: boolean;
  readonly violations: readonly PodSecurityViolation[];
}

export interface PodSecurityReport {
  readonly file: string;
  readonly level: PodSecurityLevel;
  readonly isStandardOnly: boolean;
  readonly objects: readonly JudgedObject[];
  /** Of each document that has any: the patches of all its violations as one. */
  readonly patches: readonly { readonly document: number; readonly patch: readonly PatchOperation[] }[];
}
