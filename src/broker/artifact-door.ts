// What tasks handed back, as a door asks for it: read from the record and from what is kept beside it.
import { checkArtifacts, type KeptArtifacts, listArtifacts, openArtifact } from "../artifacts/artifacts.ts";
import { keptDirectory } from "../changes/changes.ts";
import type { ArtifactDoor } from "../contracts/artifacts.ts";
import { taskIdSchema } from "../contracts/ids.ts";
import type { StoredRecord } from "../contracts/ledger.ts";
import { openLedgerReader } from "../ledger/ledger.ts";
import type { StateLayout } from "./state-layout.ts";

/** @param makeReady what has expired is removed first */
export function artifactDoor(layout: StateLayout, makeReady: () => Promise<unknown>): ArtifactDoor {
  const reading = async <Result>(
    task: string,
    read: (records: readonly StoredRecord[], kept: KeptArtifacts) => Result,
  ): Promise<Result> => {
    await makeReady();
    const reader = openLedgerReader({ directory: layout.state });
    const records = reader.task(task);
    const id = taskIdSchema.parse(task);
    return read(records, { directoryOf: (until) => keptDirectory(layout.artifacts, id, until), unseal: reader.unsealer(id) });
  };
  return {
    list: (task) => reading(task, listArtifacts),
    open: (selection) => reading(selection.task, (records, kept) => openArtifact(records, kept, selection)),
    verify: (task) => reading(task, checkArtifacts),
  };
}
