// The script for fish. It starts nothing: fish itself keeps what may be offered.
import type { CompletionTable, OptionOffer, Position } from "./completion-table.ts";

const quote = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;

function optionLine(condition: string, { word, about, value }: OptionOffer): string {
  const parts = ["complete -c glovebox", "-n", quote(condition), "-l", word.slice(2)];
  if (value.kind === "path") parts.push("-r", "-F");
  if (value.kind === "free") parts.push("-x");
  if (value.kind === "choice") parts.push("-x", "-a", quote(value.words.join(" ")));
  return [...parts, "-d", quote(about)].join(" ");
}

function positionLines({ command, words, options }: Position): readonly string[] {
  const condition = `__glovebox_is_at ${quote(command)}`;
  return [
    ...words.map(({ word, about }) => `complete -c glovebox -f -n ${quote(condition)} -a ${quote(word)} -d ${quote(about)}`),
    ...options.map((option) => optionLine(condition, option)),
  ];
}

export function fishScript(table: CompletionTable): string {
  const taking = [
    ...new Set(table.positions.flatMap(({ options }) => options.filter(({ value }) => value.kind !== "none").map(({ word }) => word))),
  ];
  return `function __glovebox_is_at
  set -l command
  set -l passing no
  for word in (commandline -opc)[2..]
    if test $passing = yes
      set passing no
    else if test "$word" = --
      return 1
    else if contains -- "$word" ${taking.join(" ")}
      set passing yes
    else if not string match -q -- '-*' "$word"
      if test -z "$command"
        set command "$word"
      else if contains -- "$command" ${table.groups.join(" ")}
        set command "$command $word"
      end
    end
  end
  test "$command" = "$argv[1]"
end
complete -c glovebox -n 'contains -- -- (commandline -opc)' -x -a '(__fish_complete_subcommand --fcs-skip=(math (contains -i -- -- (commandline -opc)) ))'
${table.positions.flatMap(positionLines).join("\n")}
`;
}
