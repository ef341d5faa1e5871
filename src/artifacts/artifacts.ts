// The room of artifacts: files that a task hands back, kept encrypted below the state directory and read again by whoever may read the record.
export { gatherArtifacts, type GatheredArtifacts } from "./gather-artifacts.ts";
export { gatherLeft, type GatheredLeft, sectionOf } from "./gather-left.ts";
export { checkArtifacts, type KeptArtifacts, listArtifacts, openArtifact } from "./load-artifacts.ts";
