# == imports
library(dplyr)
# <- import module="dplyr"
# <- none
#       ^ ref import
require("stats")
# <- import module="stats"
suppressPackageStartupMessages(library(ggplot2))
# <- import module="ggplot2"
source("R/tools.R")
# <- import module="R/tools.R"

# == functions and their documentation
#' Add two numbers
# <- doc
add <- function(x, y = 2, ...) {
# <- def fn sig="add <- function(x, y = 2, ...)" doc="Add two numbers" vis=public end=+2
  x + y
  # <- none
}
mul = function(x) x * 2
# <- def fn sig="mul = function(x)"

# == a function inside a function
outer_part <- function(x) {
# <- def fn end=+7
  inner <- function(z) z
  # <- def fn scope=outer_part
  w <- inner(x)
  # <- none
#      ^ ref call owner=outer_part
  w$value <- 3
#   ^ ref write recv=w
  for (i in 1:3) w <- w + i
  # <- none
  COUNT <<- 1
  # <- ref write
  add(w, y = mul(2))
#            ^ ref call owner=outer_part
}

# == a dot hides a name
.hidden <- function() NULL
# <- def fn vis=private
.state <- 3
# <- def var vis=private

# == values and constants
RATE <- 6.28
# <- def const sig="RATE"
rates = c(RATE, 2)
# <- def var
#         ^ ref read owner=rates
5 -> five
#    ^ def var

# == operators and quoted names
`%+%` <- function(a, b) paste(a, b)
 # <- def fn sig="`%+%` <- function(a, b)"
"quoted" <- function() 1
 # <- def fn
short <- \(x) x^2
# <- def fn

# == methods by name
print.order <- function(x, ...) UseMethod("print")
# <- def fn
#                               ^ ref call

# == namespaces
dplyr::mutate(rates, a = 1)
# <- ref read
#      ^ ref call recv=dplyr
#                    ^ none
stats:::hidden(3)
#       ^ ref call recv=stats

# == classes with slots
setClass("Person", representation(name = "character"), contains = "Base")
#         ^ def class sig="setClass(\"Person\", representation(name = \"character\"), contains = \"Base\")"
#                                 ^ def field scope=Person
#                                                                  ^ ref inherit owner=Person
Order <- setClass("Order", slots = c(id = "numeric", note = "character"))
# <- def class
#                                    ^ def field scope=Order
#                                                    ^ def field scope=Order

# == generics and methods
setGeneric("area", function(shape) standardGeneric("area"))
#           ^ def fn
setMethod("area", "Circle", function(shape) shape@radius)
#          ^ def method scope=Circle
#                                                 ^ ref read recv=shape
setMethod("show", signature(object = "Person"), function(object) cat(object@name))
#          ^ def method scope=Person
#                                                                ^ ref call owner=show

# == reference classes
Account <- setRefClass("Account", fields = list(balance = "numeric"), methods = list(
# <- def class
#                                               ^ def field scope=Account
  deposit = function(x) { balance <<- balance + x }
  # <- def method scope=Account sig="deposit = function(x)"
#                         ^ ref write owner=deposit
))
Account$methods(close = function() NULL)
#               ^ def method scope=Account

# == classes with public and private parts
Stack <- R6::R6Class("Stack",
# <- def class end=+8
  inherit = Base,
#           ^ ref inherit owner=Stack
  public = list(
    items = NULL,
    # <- def field scope=Stack vis=public
    push = function(x) self$items <- private$secret(x)
    # <- def method scope=Stack vis=public
#                           ^ ref write recv=self
#                                            ^ ref call recv=private
  ),
  private = list(secret = function(x) x, depth = 0),
#                ^ def method scope=Stack vis=private
#                                        ^ def field scope=Stack vis=private
  active = list(size = function() length(self$items))
#               ^ def property scope=Stack
)

# == objects are made
one <- Stack$new()
# <- def var
#      ^ ref instance owner=one
two <- new("Person", name = "x")
# <- def var
#           ^ ref instance
three <- one %>% add(2) |> mul()
# <- def var
#                ^ ref call
#                          ^ ref call

# == conditions
check <- function(x) if (x) stop(bad_order(x)) else stop("none")
# <- def fn
#                                ^ ref throw owner=check

# == members given from outside
Stack$peek <- function() self$items[[1]]
#     ^ def method scope=Stack
if (interactive()) {
  helper <- function() 1
  # <- def fn
}
