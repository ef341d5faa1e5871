// Shells: every one that is common, with what scripts lean on.
import type { ToolCase } from "./tool-case.ts";

/** Larger than a pipe: a shell then needs a child or a temporary file. */
const bigDocument = "text=$(seq 1 20000); sha256sum <<END\n$text\nEND";

const hereDocuments = `v=value; cat <<END
plain $v $(echo command) $((1+2))
END
cat <<'END'
quoted $v
END
cat <<-END
	tabs away
	END
cat <<ONE - <<TWO | sort
from one
ONE
from two
TWO
f() { cat; }; f <<END | tr a-z A-Z
into a function
END
${bigDocument}`;

export const shells: readonly ToolCase[] = [
  {
    name: "shell: pipelines, jobs, traps, signals, process substitution",
    strictToo: true,
    needs: ["bash"],
    script: `seq 3 | while read n; do echo "n=$n"; done; { exit 7; } & wait $!; echo "job $?"
trap 'echo trapped' USR1; kill -USR1 $$; bash -c 'diff <(seq 3) <(seq 3) && echo equal; coproc cat; echo co >&\${COPROC[1]}; read -r line <&\${COPROC[0]}; echo "$line"'
sleep 100 & kill $! && wait $!; echo "killed $?"; (ulimit -n 64; ulimit -n); nice -n 5 true; timeout 5 true; setsid -w echo session; nohup true; env -i /bin/echo clean; kill -0 $$ && echo alive`,
  },
  ...["dash", "bash", "zsh"].map((shell): ToolCase => ({
    name: `${shell}: here-documents, small and large`,
    needs: [shell],
    script: `cat > script <<'OUTER'
${hereDocuments}
OUTER
${shell} script`,
  })),
  {
    name: "bash and zsh: here-strings, arrays, globs, temporary files of substitution, job control, restricted history",
    needs: ["bash", "zsh"],
    script: `mkdir -p d/e && touch d/1 d/2 d/e/3 && bash -c 'cat <<< "a string"; a=(x y z); echo \${#a[@]} \${a[-1]}; shopt -s globstar; echo d/**; set -m; sleep 30 & kill %1; wait %1; echo $?; mapfile -t lines < <(seq 3); echo \${lines[2]}; exec 9> nine; echo nine >&9; cat nine; read -r -t 5 w < <(echo word); echo $w'
zsh -f -c 'cat <<< "a string"; print -l d/**/*(.); cat =(echo temporary); autoload -U zmv; zmv "d/(*)" "d/x\\$1" && print d/*; print \${(U):-upper}; typeset -A m; m[k]=v; print $m[k]; echo to both >one >two; cat one two'`,
  },
];

export const terminals: readonly ToolCase[] = [
  {
    name: "a terminal made inside",
    strictToo: true,
    needs: ["script", "stty"],
    script: `script -qec 'stty rows 30 cols 100; stty size; test -t 0 && test -t 1 && echo terminal' /dev/null < /dev/null | tr -d '\\r'`,
  },
  {
    name: "tmux: a server on its socket, two windows, keys typed, the screen read, less and its keys",
    needs: ["tmux", "less", "seq"],
    script: `export TMUX_TMPDIR=$TMPDIR; [ -n "$TMUX_TMPDIR" ] || export TMUX_TMPDIR=$PWD; t='tmux -L gb -f /dev/null'
$t new-session -d -x 60 -y 12 -s main 'exec sh' && $t send-keys -t main 'echo typed > typed.txt; tmux -L gb wait-for -S written' Enter && $t wait-for written && cat typed.txt
seq 1000 > numbers && $t new-window -d -t main:5 'less -X numbers; tmux -L gb wait-for -S left' && $t send-keys -t main:5 G
n=0; until $t capture-pane -p -t main:5 | grep -qx 1000; do n=$((n+1)); [ $n -lt 200 ] || exit 9; sleep 0.05; done; $t capture-pane -p -t main:5 | sed -n 3,5p
$t send-keys -t main:5 q && $t wait-for left && $t list-sessions -F '#{session_name}' && $t kill-server`,
  },
  {
    name: "vim on a terminal: swap file, undo file, a filter through the shell, written with a backup",
    needs: ["vim", "sort"],
    terminal: true,
    script: `stty rows 24 cols 80; export LESSHISTFILE=- ; printf 'pear\\napple\\n' > list.txt
vim -N -u NONE -i NONE --cmd 'set backup undofile' -c '%!sort' -c 'normal Gofig' -c 'call writefile([swapname(bufnr("%")) != "" ? "swapped" : "no swap"], "swap.txt")' -c wq list.txt >/dev/null 2>&1;  cat list.txt list.txt~ swap.txt; ls -A`,
  },
  {
    name: "less and stty on a terminal",
    strictToo: true,
    needs: ["less", "stty"],
    terminal: true,
    script: `stty rows 30 cols 100; stty size; tty -s && echo terminal; printf 'one\\ntwo\\n' | LESSHISTFILE=- less -FX; printf 'x\\n' > f; LESSHISTFILE=- less -FX f; stty -echo; stty -a | grep -o -- '-echo '; stty sane`,
  },
];
