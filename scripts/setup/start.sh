# Shared by ./glovebox and `npm test`: is this clone set up, and which Node runs the set-up. Expects `root`; sets `pinned`.
# Read by any POSIX sh. The judgement must stay far below one Node start, so it forks as little as possible.

# npm installs the one that fits this machine: below a clone, or beside an installed package.
find_pinned() {
  for pinned in "$root"/node_modules/node-linux-*/bin/node "$root"/../node-linux-*/bin/node; do
    [ -x "$pinned" ] && return
  done
  return 1
}

# What set-up depends on, by content: after a pull that changed the lock file or the native sources it differs from the stored copy.
# Becomes `cat`: call it only in a pipeline or another process of its own.
fingerprint() {
  LC_ALL=C
  cd -- "$root" || exit
  printf '%s\n' native/*.[ch] native/*/*.[ch]
  exec cat package-lock.json native/Makefile native/*.[ch] native/*/*.[ch] 2>/dev/null
}

# By time first: reading all of them would take a third of what a start takes. A directory is newer when a file left it.
stamp_is_newest() {
  for source in "$root/package-lock.json" "$root/native" "$root"/native/* "$root"/native/*/*; do
    [ ! "$source" -nt "$root/build/setup.stamp" ] || return 1
  done
}

is_set_up() {
  find_pinned && [ -x "$root/build/guard" ] && [ -x "$root/build/launcher" ] && [ -x "$root/build/captive" ] && [ -x "$root/build/masker" ] && [ -x "$root/build/door" ] && [ -x "$root/build/client" ] && [ -f "$root/build/setup.stamp" ] || return 1
  [ -x /usr/bin/bwrap ] || [ -x /usr/local/bin/bwrap ] || return 1
  stamp_is_newest || fingerprint | cmp -s - "$root/build/setup.stamp"
}

# The bundle of all sources that set-up makes: taken only while everything it was made from is older than the moment that began. What is gone is
# not older. The list names files: going through directories, and asking another process, each cost several times the whole look.
bundle_is_current() {
  made=$root/bundle/sources.sh
  [ -f "$made" ] || return 1
  . "$made"
  for source in $sources; do
    [ "$root/$source" -ot "$made" ] || return 1
  done
  [ ! "$root/node_modules/.package-lock.json" -nt "$made" ]
}

# The sentence for a machine without Node, in the person's language; the catalogue keeps each language on a line of its own.
say_no_node() {
  case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
    zh*) language=zh ;;
    *) language=en ;;
  esac
  catalogue=$root/src/texts/catalogue/setup.json
  for part in message hint; do
    sed -n "/\"error.setup.no-node.$part\"/,/}/s/.*\"$language\": \"\(.*\)\",\{0,1\}\$/glovebox: \1/p" "$catalogue" >&2
  done
}

# The caller's PATH without directories that a command in the caller's project could have filled: relative ones, and what lies at or below the
# current directory, unless this clone itself lies there.
search_path() (
  IFS=:
  set -f
  here=$(pwd -P)
  kept=
  for directory in ${caller_path-$PATH}; do
    case $directory in
      */node_modules/.bin | [!/]* | '') continue ;;
    esac
    real=$(cd -P -- "$directory" 2>/dev/null && pwd) || continue
    case $real/ in
      "$here"/*) [ "$here" = / ] || continue ;;
    esac
    kept=${kept:+$kept:}$directory
  done
  printf '%s\n' "${kept:-/usr/bin:/bin}"
)

# Prints the Node of the machine: never the pinned one of this clone, which set-up may be about to replace.
machine_node() (
  IFS=:
  set -f
  for directory in $(search_path); do
    [ -x "$directory/node" ] && printf '%s\n' "$directory/node" && return
  done
)

run_setup() {
  runner=$(machine_node)
  [ -n "$runner" ] || { find_pinned && runner=$pinned; }
  if [ -z "$runner" ] || ! "$runner" -e 'process.exit(parseInt(process.versions.node, 10) < 18 ? 1 : 0)' 2>/dev/null; then
    say_no_node
    return 122
  fi
  PATH=$(search_path) "$runner" "$root/scripts/setup.mjs" "$@"
}
