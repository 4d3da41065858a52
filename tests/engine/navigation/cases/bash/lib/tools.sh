build() {
  compile "$1" && finish
# ^ -> compile
#                 ^ -> finish
}

compile() { :; }

finish() {
  main
# ^ unresolved
  LEVEL=3
# ^ unresolved
}
