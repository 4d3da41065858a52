Order <- R6::R6Class("Order",
  public = list(
    amount = 0,
    add = function(x) {
      self$amount <- self$amount + double(x)
#          ^ -> amount
#                         ^ -> amount
#                                  ^ -> R/tools.R double
      private$check()
#             ^ -> check
      self
    }
  ),
  private = list(check = function() self$amount > LIMIT)
#                                        ^ -> amount
#                                                 ^ -> R/tools.R LIMIT
)

setClass("Person", representation(name = "character"))
setClass("Clerk", contains = "Person")
#                             ^ -> Person

make <- function(n) {
  one <- Order$new()
#        ^ -> Order
  one$add(clamp(n))
#         ^ -> R/tools.R clamp
  .hidden(n)
# ^ -> R/tools.R .hidden
}

hire <- function() new("Clerk", name = "x")
#                       ^ -> Clerk

again <- function(f = make) f(2)
#                     ^ -> make

count <- function() dplyr::mutate(LIMIT)
#                          ^ unresolved
#                                 ^ -> R/tools.R LIMIT
