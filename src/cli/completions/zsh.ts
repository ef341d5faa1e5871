// The script for zsh: to be read by a start file, or put as `_glovebox` into a directory of $fpath. It starts nothing.
import { type CompletionTable, type Offer, optionsWith, type Position, takingValues } from "./completion-table.ts";

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `word:what it means`, in which a colon of the word itself is escaped. */
const described = (offers: readonly Offer[]): string =>
  offers.map(({ word, about }) => quote(`${word.replaceAll(":", String.raw`\:`)}:${about}`)).join(" ");

function positionLines({ command, words, options }: Position): string {
  return `    ${quote(command)})
      offered=(${described(words)})
      options=(${described(options)})
      ;;`;
}

function choiceLines(table: CompletionTable): readonly string[] {
  return optionsWith(table, "choice").flatMap(({ word, value }) =>
    value.kind === "choice" ? [`      ${word}) compadd -- ${value.words.join(" ")} ;;`] : [],
  );
}

function pathLines(table: CompletionTable): readonly string[] {
  const paths = optionsWith(table, "path").map(({ word }) => word);
  return paths.length === 0 ? [] : [`      (${paths.join("|")}) _files ;;`];
}

export function zshScript(table: CompletionTable): string {
  return `#compdef glovebox
_glovebox() {
  local command='' index=2
  local -a offered options
  while (( index < CURRENT )); do
    case $words[index] in
      --)
        if (( index + 1 == CURRENT )); then _command_names -e; else _files; fi
        return
        ;;
      (${takingValues(table)}) (( index++ )) ;;
      -*) ;;
      *)
        case $command in
          '') command=$words[index] ;;
          (${table.groups.join("|")}) command="$command $words[index]" ;;
        esac
        ;;
    esac
    (( index++ ))
  done
  if (( index > CURRENT )); then
    case $words[CURRENT-1] in
${[...choiceLines(table), ...pathLines(table)].join("\n")}
    esac
    return
  fi
  case $command in
${table.positions.map(positionLines).join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe 'option' options
  elif (( $#offered > 0 )); then
    _describe 'command' offered
  else
    _files
  fi
}
compdef _glovebox glovebox
`;
}
