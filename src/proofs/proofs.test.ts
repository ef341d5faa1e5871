// Which walls count as seen, and what a claim may say of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Draft, finishDraft } from "./draft.ts";
import { standingWalls } from "./proofs.ts";

const sentence = { key: "proof.inside.none" };

function draft(walls: Draft["walls"], verdict: Draft["verdict"]): Draft {
  return { id: "x", question: "held", claim: sentence, probe: sentence, inside: sentence, host: sentence, verdict, walls };
}

test("standingWalls() needs a claim of the wall's own, and one that fails or was not probed takes it away", () => {
  const drafts = [draft(["bubblewrap"], "held"), draft(["seccomp"], "not-probed"), draft(["landlock", "mediator"], "held")];
  assert.deepEqual([...standingWalls(drafts)], ["bubblewrap"]);
  assert.deepEqual([...standingWalls([...drafts, draft(["bubblewrap"], "not-held")])], []);
});

test("finishDraft() names as holder only a wall that stands, and for a failed claim those that do not", () => {
  const standing = new Set(["bubblewrap"] as const);
  assert.deepEqual(finishDraft(draft(["bubblewrap", "landlock"], "held"), standing).heldBy, ["bubblewrap"]);
  const failed = finishDraft(draft(["bubblewrap", "landlock"], "not-held"), standing);
  assert.deepEqual([failed.heldBy, failed.missing], [[], ["landlock"]]);
});
