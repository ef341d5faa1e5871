// A run as data: the document of `--result-file`, and of `--json` with the output beside it.
import type { RunResult } from "../../contracts/door.ts";
import type { ErrorDocument } from "../../contracts/run-result-file.ts";
import type { Texts } from "../../texts/texts.ts";
import { sheetJson } from "../render/sheet.ts";

/** @param exitCode what our own process is going to exit with */
export function resultDocument(result: RunResult, exitCode: number, text: Texts) {
  const { task, action, policyHash, outcome, child, limitHits, stdoutBytes, stderrBytes, durationMs, usage, ledger } = result;
  const { changes, artifacts, leftBehind } = result;
  return {
    format: 1 as const,
    exitCode,
    result: {
      task,
      action,
      policyHash,
      outcome,
      child: child === undefined ? null : { kind: child.kind, value: child.value },
      limitHits: limitHits.map((hit) => ({ ...hit })),
      stdoutBytes,
      stderrBytes,
      durationMs,
      usage: usage === undefined ? null : { source: "evidence" as const, ...usage },
      ...(changes === undefined ? {} : { changes }),
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(leftBehind === undefined ? {} : { leftBehind }),
      ledger,
      sheet: sheetJson(result.sheet, text),
    },
  };
}

export function refusalDocument(error: ErrorDocument, exitCode: number) {
  return { format: 1 as const, exitCode, error };
}
