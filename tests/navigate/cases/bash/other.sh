stray() {
  stray
# ^ -> stray
}
