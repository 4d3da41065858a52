# == a script that is not finished
first() {
# <- def fn vis=public end=+2
  echo one
# ^ ref call owner=first
}
second() {
  if true; then
    echo two
