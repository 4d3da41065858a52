abstract type Shape end

struct Order
    id::Int
    amount::Int
end

struct Circle <: Shape
#                ^ -> Shape
    radius::Int
end

struct Broken <: Exception
    x
end

@enum Color red green

describe(o::Order) = show_it(o)
#           ^ -> Order
#                    ^ -> show_it

show_it(o) = print(o)

macro twice(ex)
    esc(ex)
end

again(x) = @twice show_it(x)
#           ^ -> twice
#                 ^ -> show_it

paint() = red
#         ^ -> red
