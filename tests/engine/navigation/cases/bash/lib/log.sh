LEVEL=1

log() {
  printf '%s' "$1" "$LEVEL"
# ^ external
#                    ^ -> LEVEL
}

warn() {
  log "$1"
# ^ -> log
  if [ "$LEVEL" -gt 1 ]; then log "$LEVEL"; fi
#        ^ -> LEVEL
#                             ^ -> log
}
