// judgePlace(): a table of places.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathPolicy } from "../contracts/boundary.ts";
import type { PlaceJudgement } from "../contracts/place-judgement.ts";
import { judgePlace } from "./judge-place.ts";

const paths: PathPolicy = {
  readDefault: "system",
  allowRead: ["/home/me/notes"],
  denyRead: ["/p/closed"],
  allowWrite: ["/p"],
  denyWrite: ["/p/fixed"],
};

const facts = {
  canonicalPath: (place: string) => place.replace(/^\/p\/link/u, "/home/me").replace(/^\/p\/inner/u, "/p/closed"),
  isShown: (place: string) => place.startsWith("/usr/"),
  isProtected: (place: string) => place.includes("/.git/"),
};

const rows: readonly (readonly [access: "read" | "write", place: string, expected: PlaceJudgement])[] = [
  ["read", "/p/a", "open"],
  ["read", "/usr/include/x.h", "open"],
  ["read", "/home/me/notes/x", "open"],
  ["read", "/home/me/.ssh/id", "unnamed"],
  ["read", "/p/closed/x", "denied"],
  ["read", "/p/link/.ssh/id", "unnamed"],
  ["read", "/p/inner/x", "denied"],
  ["write", "/p/a", "open"],
  ["write", "/p/fixed/a", "denied"],
  ["write", "/p/closed/a", "denied"],
  ["write", "/p/.git/hooks/pre-commit", "denied"],
  ["write", "/usr/include/x.h", "unnamed"],
  ["write", "/home/me/notes/x", "unnamed"],
  ["write", "/p/link/.bashrc", "unnamed"],
];

test("judgePlace() judges each row as written and behind its links", () => {
  for (const [access, place, expected] of rows) assert.equal(judgePlace(paths, { access, place }, facts), expected, `${access} ${place}`);
});
