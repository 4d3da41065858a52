# == what is broken leaves the rest alone
good <- function(x) x
# <- def fn

bad <- function(x { ] 3
# <- def var

later <- function(y) {
# <- def fn
  good(y)
  # <- ref call owner=later
}
