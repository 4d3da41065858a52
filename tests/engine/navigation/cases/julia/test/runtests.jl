using Shop

check(x) = total(x)
#          ^ -> src/Shop.jl total
other() = again(1)
#         ^ -> src/types.jl again
third() = run(2)
#         ^ -> src/Shop.jl run
fourth() = area(Circle(1))
#          ^ -> src/Shop.jl area
#               ^ -> src/types.jl Circle
