#!/usr/bin/env bash
source ./lib/log.sh
. "$(dirname "$0")/lib/tools.sh"

NAME=world

main() {
  log "$NAME"
# ^ -> lib/log.sh log
#       ^ -> NAME
  build "$1"
# ^ -> lib/tools.sh build
  echo done
# ^ external
  helper
# ^ -> helper
  local LEVEL=2
  warn "$LEVEL"
# ^ -> lib/log.sh warn
}

helper() {
  echo "$LEVEL $NAME"
#        ^ -> lib/log.sh LEVEL
#               ^ -> NAME
  NAME=other
# ^ -> NAME
  stray
# ^ unresolved
}

ll() { ls -l; }
#      ^ external

main "$@"
trap helper EXIT
#    ^ -> helper
export -f main
#         ^ -> main
