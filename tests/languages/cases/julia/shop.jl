# == a module and its documentation
"""
Sells things.
"""
module Shop
#      ^ def mod sig="module Shop" doc="Sells things."

# == imports
using DataFrames, CSV
# <- import module="DataFrames"
# <- import module="CSV"
#     ^ ref import
using LinearAlgebra: norm, dot as inner
# <- import module="LinearAlgebra" name="norm"
# <- import module="LinearAlgebra" name="dot" alias="inner"
import Base: show, +
# <- import module="Base" name="show"
# <- import module="Base" name="+"
import JSON as J
# <- import module="JSON" alias="J"
import ..Parent.Sub
# <- import module="..Parent.Sub"
include("tools.jl")
# <- import module="tools.jl"
# <- none
export total, Order
#      ^ ref read

# == structs, fields and constructors inside
"An order."
struct Order{T<:Real} <: AbstractOrder
#      ^ def struct scope=Shop sig="struct Order{T<:Real} <: AbstractOrder" doc="An order." end=+9
#                        ^ ref inherit owner=Order
    id::Int
    # <- def field scope="Shop.Order" sig="id::Int"
#       ^ ref type owner=id
    "the price"
    price::T
    # <- def field scope="Shop.Order" doc="the price"
    name
    # <- def field scope="Shop.Order"
    Order(id) = new{Float64}(id, 0, "")
    # <- def method scope="Shop.Order" sig="Order(id)"
    function Order{T}(id) where T
#            ^ def method scope="Shop.Order" sig="function Order{T}(id) where T" end=+2
        new{T}(id, 0, "")
    end
end

# == mutable structs with constants and defaults
Base.@kwdef mutable struct Counter
#                          ^ def struct scope=Shop sig="Base.@kwdef mutable struct Counter"
    const start::Int
#         ^ def field scope="Shop.Counter"
    count::Int = 3
    # <- def field scope="Shop.Counter" sig="count::Int = 3"
end

# == abstract and primitive types
abstract type AbstractOrder <: Any end
#             ^ def type scope=Shop sig="abstract type AbstractOrder <: Any"
primitive type Byte 8 end
#              ^ def type scope=Shop

# == constants and variables
const LIMIT = 10
#     ^ def const scope=Shop sig="const LIMIT"
const LOW, HIGH = 1, 2
#     ^ def const scope=Shop
#          ^ def const scope=Shop
const Pairs{T} = Vector{T}
#     ^ def const scope=Shop
#                ^ ref type
global state = 3
#      ^ def var scope=Shop
cache = Dict()
# <- def var scope=Shop sig="cache"

# == functions in the long form
"""
Adds up.
"""
function total(o::Order; tax=0.1)::Float64
#        ^ def fn scope=Shop sig="function total(o::Order; tax=0.1)::Float64" doc="Adds up." end=+9
#                 ^ ref type owner=total
    part(a) = a
    # <- def fn scope="Shop.total"
    sum = o.price
    # <- none
#           ^ ref read recv=o
    o.id = 3
#     ^ ref write recv=o
    for i in 1:3
#       ^ none
        sum += i
    end
    o.id > LIMIT && throw(ArgumentError("x"))
#          ^ ref read owner=total
#                         ^ ref throw owner=total
    return part(sum) + norm([1])
#          ^ ref call
#                      ^ ref call owner=total
end

# == functions in the short form
area(r) = pi * r^2
# <- def fn scope=Shop sig="area(r)"
area(r::T) where {T<:Real} = double(r)
# <- def fn scope=Shop sig="area(r::T) where {T<:Real}"
#                            ^ ref call owner=area
_hidden(x) = x
# <- def fn vis=private

# == methods of functions of other modules
Base.show(io::IO, o::Order) = print(io, o.id)
#    ^ def fn scope="Shop.Base" sig="Base.show(io::IO, o::Order)"
#                             ^ ref call owner=show
function Base.length(o::Order)
#             ^ def fn scope="Shop.Base"
    return 1
end

# == operators
+(a::Order, b::Order) = a
# <- def fn scope=Shop sig="+(a::Order, b::Order)"
Base.:(==)(a::Order, b::Order) = true
#      ^ def fn scope="Shop.Base"

# == callable objects
(f::Order)(x) = x
#   ^ def fn scope=Shop sig="(f::Order)(x)"

# == macros and their uses
macro twice(ex)
#     ^ def macro scope=Shop sig="macro twice(ex)"
    esc(ex)
end
@inline fast(x) = @twice x
#       ^ def fn scope=Shop sig="@inline fast(x)"
#                  ^ ref call owner=fast

# == enums
@enum Color red green = 2
#     ^ def enum scope=Shop
#           ^ def field scope="Shop.Color"
#               ^ def field scope="Shop.Color"

# == functions without methods
function later end
#        ^ def fn scope=Shop sig="function later"

# == anonymous functions and blocks
pick = x -> x + LIMIT
# <- def var scope=Shop
#               ^ ref read
map([1, 2]) do z
# <- ref call owner=Shop
    total(z)
    # <- ref call
end

# == nested modules
module Inner
#      ^ def mod scope=Shop
deep() = Order(1)
# <- def fn scope="Shop.Inner"
#        ^ ref instance owner=deep
end

end # module
# == methods of another module's types
Base.Array{T}(cart::Basket) where {T} = collect(T, cart.items)
#    ^ def fn scope=Base
function Base.Matrix{T}(cart::Basket) where T
#             ^ def fn scope=Base end=+2
    return 1
end
function Base.getindex(cart::Basket, i::Int)::T where T
#             ^ def fn scope=Base end=+2
    return i
end
