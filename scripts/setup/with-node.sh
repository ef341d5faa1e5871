# Starts Glovebox with the pinned Node: one Node start when everything is set up, otherwise set-up first, if that is allowed. Read by ./glovebox, which
# sets `root` and `caller_path`; or started by itself, by the thin client.
case $0 in
  */scripts/setup/with-node.sh)
    root=${0%/scripts/setup/*}
    caller_path=${PATH-}
    PATH=/usr/bin:/bin
    unset NODE_OPTIONS NODE_PATH
    ;;
esac
. "$root/scripts/setup/start.sh"

# Only what stands before the subcommand is ours to read: the rest may be the command of an agent.
yes=
lang=
subcommand=
expecting=
for argument do
  if [ -n "$expecting" ]; then
    lang=$argument
    expecting=
    continue
  fi
  case $argument in
    --yes) yes=--yes ;;
    --lang) expecting=lang ;;
    --lang=*) lang=${argument#--lang=} ;;
    --help | -h) subcommand=help ;;
    --version) subcommand=version ;;
    --) break ;;
    -*) ;;
    *) subcommand=$argument ;;
  esac
  [ -z "$subcommand" ] || break
done

# Where `run` wants its result, refusals included. Without the separator nobody knows which words are the command's own.
result_file=
find_result_file() {
  found=
  for argument do
    case $argument in
      --)
        result_file=$found
        return
        ;;
      --result-file=*) found=${argument#*=} ;;
      *) [ "$before" != --result-file ] || found=$argument ;;
    esac
    before=$argument
  done
}
before=

if [ "$subcommand" = setup ]; then
  run_setup "$@"
  exit
fi
# The doctor is for machines that lack something: it needs no more than a Node.
if [ "$subcommand" = doctor ] && find_pinned; then
  :
elif ! is_set_up; then
  case $subcommand in
    help | version)
      run_setup "$subcommand" ${lang:+"--lang=$lang"}
      exit
      ;;
  esac
  [ "$subcommand" != run ] || find_result_file "$@"
  run_setup needed $yes ${lang:+"--lang=$lang"} ${result_file:+"--result-file=$result_file"} || exit 122
  is_set_up || exit 122
fi
entry=$root/dist/main.js
if [ -f "$root/src/main.ts" ]; then
  entry=$root/src/main.ts
  ! bundle_is_current || entry=$root/scripts/setup/start-bundle.cjs
fi
# The heap starts with room for all that a run makes: collecting it five times over took a tenth of the run.
# src/kit/node-options.ts says what the other two are for.
PATH=$caller_path exec "$pinned" --min-semi-space-size=16 --no-concurrent-recompilation --no-concurrent-sparkplug "$entry" "$@"
