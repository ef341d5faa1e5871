// The few sentences that the thin client says itself, and our version, as a header of C: the catalogue stays their only source.
import { version } from "../../src/contracts/version.ts";
import { errorTable, type ErrorCode } from "../../src/contracts/error-table.ts";
import { createTexts, type Language, languages } from "../../src/texts/texts.ts";

/** A C string: what is not plain ASCII goes as octal bytes, which end after three digits. */
function literal(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCodePoint(byte);
    if (character === '"' || character === "\\") return `\\${character}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : character;
  });
  return `"${bytes.join("")}"`;
}

function failureLines(language: Language, name: string, code: ErrorCode, situation: string): string[] {
  const text = createTexts(language, (value) => value, { onMissing: "throw" });
  // `what` is for people who look for the reason; the client has only one.
  const values = { errno: "%s", what: "client" };
  const words = ["message", "hint"].map((part) => literal(text({ key: `error.${situation}.${part}`, values })));
  return [`  .${name} = {${errorTable[code].exit}, "${code}",`, `    ${words.join(",\n    ")}},`];
}

function sentencesOf(language: Language): string[] {
  const text = createTexts(language, (value) => value, { onMissing: "throw" });
  const label = (key: string): string => {
    const shown = text({ key });
    return literal(shown.endsWith("：") ? shown : `${shown} `);
  };
  return [
    `static const struct sentences sentences_${language} = {`,
    `  .code = ${label("cli.failure.code")},`,
    `  .next = ${label("cli.failure.next")},`,
    `  .asked = ${literal(text({ key: "desk.waiting", values: { approval: "%s" } }))},`,
    ...failureLines(language, "lost", "BROKER_UNAVAILABLE", "door.lost"),
    ...failureLines(language, "broken", "BROKER_PROTOCOL", "door.protocol"),
    ...failureLines(language, "unwritten", "RESULT_UNWRITABLE", "cli.output-unwritable"),
    "};",
    "",
  ];
}

export function makeClientWords(): string {
  const lines = [
    "// What the thin client says itself. Generated from src/texts/catalogue and src/contracts by `npm run generate`: do not edit.",
    "#ifndef GLOVEBOX_CLIENT_WORDS_H",
    "#define GLOVEBOX_CLIENT_WORDS_H",
    "",
    `#define CLIENT_VERSION "${version}"`,
    "",
    "struct failure {",
    "  int exit_code;",
    "  const char *code, *message, *hint;",
    "};",
    "",
    "struct sentences {",
    "  const char *code, *next; // labels",
    "  const char *asked;       // `%s`: the question's id",
    "  struct failure lost, broken, unwritten; // `%s` of the last: an errno's name",
    "};",
    "",
    ...languages.flatMap(sentencesOf),
    "#endif",
  ];
  return `${lines.join("\n")}\n`;
}
