source("../R/tools.R")

check <- function() double(LIMIT)
#                   ^ -> R/tools.R double
#                          ^ -> R/tools.R LIMIT
other <- function() check()
#                   ^ -> check
third <- function() make(1)
#                   ^ unresolved
