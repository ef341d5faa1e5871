// The script for bash (4.4 and later). It starts nothing: what may be offered is written in it.
import { type CompletionTable, optionsWith, type Position, takingValues } from "./completion-table.ts";

function positionLines({ command, words, options }: Position): string {
  const names = words.map(({ word }) => word).join(" ");
  return `    '${command}') words='${names}' options='${options.map(({ word }) => word).join(" ")}' ;;`;
}

function choiceLines(table: CompletionTable): readonly string[] {
  return optionsWith(table, "choice").flatMap(({ word, value }) =>
    value.kind === "choice" ? [`    ${word}) mapfile -t COMPREPLY < <(compgen -W '${value.words.join(" ")}' -- "$word"); return ;;`] : [],
  );
}

export function bashScript(table: CompletionTable): string {
  return `_glovebox() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command='' words='' options='' index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      --)
        ((index + 1 == COMP_CWORD)) && mapfile -t COMPREPLY < <(compgen -c -- "$word")
        return
        ;;
      ${takingValues(table)}) ((index++)) ;;
      -*) ;;
      *)
        case $command in
          '') command=\${COMP_WORDS[index]} ;;
          ${table.groups.join("|")}) command="$command \${COMP_WORDS[index]}" ;;
        esac
        ;;
    esac
  done
  if ((index > COMP_CWORD)); then
    case $before in
${choiceLines(table).join("\n")}
    esac
    return
  fi
  case $command in
${table.positions.map(positionLines).join("\n")}
  esac
  [[ $word == -* ]] && words=$options
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _glovebox glovebox
`;
}
