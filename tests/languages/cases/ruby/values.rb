# == struct by a call
Point = Struct.new(:x, :y) do
# <- def struct vis=public sig="Point = Struct.new(:x, :y)" end=+4
#       ^ ref instance owner=Point
#              ^ ref call owner=Point recv=Struct
#                   ^ def property scope=Point vis=public sig=:x
#                       ^ def property scope=Point vis=public sig=:y
  def sum
#     ^ def method scope=Point vis=public sig="def sum" end=+2
    x + y
  end
end
Spot = Data.define(:row)
# <- def struct vis=public sig="Spot = Data.define(:row)"
#      ^ ref type owner=Spot
#           ^ ref call owner=Spot recv=Data
#                   ^ def property scope=Spot vis=public sig=:row
# == class and module by a call
ShopError = Class.new(StandardError)
# <- def class vis=public sig="ShopError = Class.new(StandardError)"
#           ^ ref instance owner=ShopError
#                 ^ ref call owner=ShopError recv=Class
#                     ^ ref inherit owner=ShopError
Helpers = Module.new
# <- def mod vis=public sig="Helpers = Module.new"
#         ^ ref instance owner=Helpers
#                ^ ref call owner=Helpers recv=Module
# == constants and globals
RATES = {
# <- def const vis=public sig="RATES = { low: 1, }.freeze" end=+2
  low: 1,
}.freeze
# ^ ref call owner=RATES recv="'"
Shop::VERSION = "1.0"
# <- ref type owner=VERSION
#     ^ def const scope=Shop vis=public sig="Shop::VERSION = \"1.0\""
$debug = false
# <- def var vis=public sig="$debug = false"
FIRST, SECOND = 1, 2
# <- def const vis=public sig="FIRST, SECOND = 1, 2"
#      ^ def const vis=public sig="FIRST, SECOND = 1, 2"
# == raise and rescue
def risky(input)
#   ^ def fn vis=public sig="def risky(input)" end=+5
  raise ArgumentError, "bad" unless input
#       ^ ref throw owner=risky
  raise Shop::Missing.new("gone")
#       ^ ref type owner=risky
#             ^ ref throw owner=risky
#                     ^ ref call owner=risky recv=Shop.Missing
rescue Shop::Missing, IOError => error
#      ^ ref type owner=risky
#            ^ ref type owner=risky
#                     ^ ref type owner=risky
  warn(error)
# ^ ref call owner=risky
end
# == instances and constant reads
def make
#   ^ def fn vis=public sig="def make" end=+4
  Shop::Book.new(RATES)
# ^ ref type owner=make
#       ^ ref instance owner=make recv=Shop
#            ^ ref call owner=make recv=Shop.Book
#                ^ ref read owner=make
  Loader.call(Shop::VERSION)
# ^ ref type owner=make
#        ^ ref call owner=make recv=Loader
#             ^ ref type owner=make
#                   ^ ref read owner=make recv=Shop
  queue&.push(1)
#        ^ ref call owner=make recv=queue
end
# == method of a constant
def Shop.boot
#   ^ ref read owner=boot
#        ^ def method scope=Shop vis=public sig="def Shop.boot" end=+2
  start
# ^ ref call owner=boot
end
# == block comment as documentation
=begin
# <- comment
Runs the whole.
=end
def run_all; end
#   ^ def fn vis=public sig="def run_all" doc="Runs the whole."
# == class without a body
class Empty < Base; end
#     ^ def class vis=public sig="class Empty < Base"
#             ^ ref inherit owner=Empty
# == unicode identifiers
class Größe
#     ^ def class vis=public sig="class Größe" end=+4
  def länge
#     ^ def method scope=Größe vis=public sig="def länge" end=+2
    1
  end
end
# == methods inside a block
Shop.configure do
# <- ref type
#    ^ ref call recv=Shop
  def inside_block; end
#     ^ def fn vis=public sig="def inside_block"
end
# == comment in a module without other code
module Bare
#      ^ def mod vis=public sig="module Bare" end=+2
  # Only words.
# <- comment
end
