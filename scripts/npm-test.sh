#!/bin/sh
# `npm test`: sets this clone up as far as the tests need it, then runs the test lanes with the pinned Node.
case $0 in
  /*) root=${0%/*}/.. ;;
  *) root=./${0%/*}/.. ;;
esac
root=$(cd -P -- "$root" && pwd) || exit
. "$root/scripts/setup/start.sh"
run_setup --yes --for-tests || exit
find_pinned || exit
cd -- "$root" || exit
exec "$pinned" scripts/test.ts "$@"
