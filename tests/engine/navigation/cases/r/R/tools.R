LIMIT <- 10

double <- function(x) x + x

.hidden <- function(x) double(x)
#                      ^ -> double

clamp <- function(x, limit = LIMIT) {
#                            ^ -> LIMIT
  part <- function(y) double(y)
#                     ^ -> double
  part(min(x, limit))
# ^ -> part
}
