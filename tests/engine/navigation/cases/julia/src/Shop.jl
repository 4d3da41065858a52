module Shop

include("types.jl")

const LIMIT = 10

function total(o::Order)
#                 ^ -> src/types.jl Order
    return double(o.amount) + LIMIT
#          ^ -> double
#                             ^ -> LIMIT
end

double(x) = x + x

function run(limit)
    made = Order(1, limit)
#          ^ -> src/types.jl Order
    describe(made)
#   ^ -> src/types.jl describe
    part(x) = double(x)
#             ^ -> double
    return part(total(made))
#               ^ -> total
end

area(c::Circle) = c.radius * LIMIT
#       ^ -> src/types.jl Circle
#                            ^ -> LIMIT

bad(x) = throw(Broken(x))
#              ^ -> src/types.jl Broken

end
