// Turns what the masker gives up about into the errors that tell a person what to do.
import { GloveboxError } from "../../contracts/glovebox-error.ts";
import { errnoName } from "../../guard/guard.ts";
import { wellFormedByteText } from "../../kit/byte-text.ts";
import type { MaskerMessage } from "./masker-frames.ts";

type Values = Readonly<Record<string, string | number>>;

function refused(situation: string, values: Values): GloveboxError {
  return new GloveboxError("PATH_RULE_UNENFORCEABLE", situation, { values });
}

function unavailable(situation: string, values: Values): GloveboxError {
  return new GloveboxError("WALL_UNAVAILABLE", situation, { values });
}

export function troubleError({ trouble, errno, path }: MaskerMessage & { kind: "trouble" }): GloveboxError {
  const place = { path: path === "" ? "-" : wellFormedByteText(path) };
  switch (trouble) {
    case "instances":
      return refused("wall.mask-instances", {});
    case "watches":
      return refused("wall.mask-watches", place);
    case "unwatchable":
      return refused("wall.mask-unwatchable", place);
    case "closed":
      return refused("wall.mask-closed", place);
    case "targets":
      return refused("wall.mask-targets", place);
    case "usage":
    case "join":
    case "seal":
    case "mask":
    case "memory":
    case "scan":
      return unavailable("wall.masker-failed", { ...place, detail: `${trouble} ${errno === 0 ? "-" : errnoName(errno)}` });
  }
}
