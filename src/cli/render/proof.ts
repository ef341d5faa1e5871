// Proofs on a screen and as data: per question the claims with their verdict, what the probe met, what the host saw and which wall holds it.
import type { Proof, ProofReport, ProofVerdict } from "../../contracts/proof.ts";
import type { Sentence } from "../../contracts/sentence.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Style } from "../style.ts";
import { headings } from "./sheet.ts";

interface ProofOptions {
  readonly text: Texts;
  readonly style: Style;
}

const verdicts = {
  held: { key: "cli.prove.held", paint: "green" },
  "not-held": { key: "cli.prove.not-held", paint: "red" },
  "not-probed": { key: "cli.prove.not-probed", paint: "yellow" },
} as const satisfies Record<ProofVerdict, unknown>;

function wallsLine(proof: Proof, text: Texts): readonly string[] {
  const { heldBy, missing, verdict } = proof;
  if (verdict === "held") return heldBy.length === 0 ? [] : [text({ key: "cli.prove.held-by", values: { walls: heldBy.join(", ") } })];
  return missing.length === 0 ? [] : [text({ key: "cli.prove.missing", values: { walls: missing.join(", ") } })];
}

function proofLines(proof: Proof, { text, style }: ProofOptions): readonly string[] {
  const { key, paint } = verdicts[proof.verdict];
  const details = [
    text({ key: "cli.prove.probe", values: { what: text(proof.probe), answer: text(proof.inside) } }),
    text({ key: "cli.prove.host", values: { what: text(proof.host) } }),
    ...wallsLine(proof, text),
  ];
  return [`   ${style(paint, text({ key }))} ${text(proof.claim)}`, ...details.map((line) => `      ${line}`)];
}

/** The seven questions in their order, those without a claim left out; the verdict last. */
export function proofReportLines(report: ProofReport, options: ProofOptions): readonly string[] {
  const { text, style } = options;
  const questions = [...new Set(report.proofs.map(({ question }) => question))];
  const lines = questions.flatMap((question) => [
    style("bold", text({ key: headings[question].full })),
    ...report.proofs.filter((proof) => proof.question === question).flatMap((proof) => proofLines(proof, options)),
    "",
  ]);
  const held = report.proofs.filter(({ verdict }) => verdict === "held").length;
  const values = { held, all: report.proofs.length, hash: report.policyHash };
  if (report.holds) return [...lines, style("green", text({ key: "cli.prove.proved", values }))];
  const walls = report.missingWalls.join(", ");
  const named = walls === "" ? [] : [style("red", text({ key: "cli.prove.missing-walls", values: { walls } }))];
  return [...lines, style("red", text({ key: "cli.prove.unproved", values })), ...named];
}

const shown = (sentence: Sentence, text: Texts) => ({ key: sentence.key, values: sentence.values ?? {}, text: text(sentence) });

export function proofReportJson(report: ProofReport, text: Texts) {
  return {
    ...report,
    proofs: report.proofs.map((proof) => ({
      ...proof,
      claim: shown(proof.claim, text),
      probe: shown(proof.probe, text),
      inside: shown(proof.inside, text),
      host: shown(proof.host, text),
    })),
  };
}
