// The package caches that tasks of one project may share: their names in a policy, and where each lies in the private home. Only what comes from an
// index and is looked at again before use: no settings, no programs that a later task would start by name. Who shares what: docs/adr/0021-project-caches.md
import * as z from "zod";
import { madeOnce } from "./made-once.ts";

export const cacheNameSchema = madeOnce(() => z.enum(["npm", "yarn", "pnpm", "pip", "cargo", "go", "maven"]));
export type CacheName = z.infer<ReturnType<typeof cacheNameSchema>>;

export interface CachePlace {
  /** Relative to the private home. */
  readonly path: string;
  readonly kind: "directory" | "file";
}

const directory = (path: string): CachePlace => ({ path, kind: "directory" });

export const cachePlaces: Readonly<Record<CacheName, readonly CachePlace[]>> = {
  npm: [directory(".npm/_cacache")],
  yarn: [directory(".cache/yarn")],
  // Beside it, in a directory of its own, pnpm keeps programs that it once fetched to run them.
  pnpm: [directory(".pnpm-store")],
  pip: [directory(".cache/pip")],
  // Its settings and programs lie beside these. Two of it lock each other out by that file.
  cargo: [directory(".cargo/registry"), directory(".cargo/git"), { path: ".cargo/.package-cache", kind: "file" }],
  go: [directory("go/pkg/mod")],
  maven: [directory(".m2/repository")],
};
