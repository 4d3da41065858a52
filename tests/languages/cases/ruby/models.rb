# == requires
require "json"
# <- import module=json
require_relative "lib/helper"
# <- import module=lib/helper
load "tasks.rb"
# <- import module=tasks.rb
autoload :Parser, "shop/parser"
# <- import module=shop/parser name=Parser
# == module and nested module
module Shop
#      ^ def mod vis=public sig="module Shop" end=+4
  module Tools
#        ^ def mod scope=Shop vis=public sig="module Tools" end=+2
    # == module constant
    LIMIT = 10
#   ^ def const scope=Shop::Tools vis=public sig="LIMIT = 10"
  end
end
# == class under a written scope
class Shop::Book < Base::Record
#     ^ ref type owner=Book
#           ^ def class scope=Shop vis=public sig="class Shop::Book < Base::Record" end=+67
#                  ^ ref type owner=Book
#                        ^ ref inherit owner=Book
  # == mixins
  include Comparable
#         ^ ref inherit owner=Book
  extend Shop::Tools
#        ^ ref type owner=Book
#              ^ ref inherit owner=Book
  prepend Tracing
#         ^ ref inherit owner=Book
  # == attributes
  attr_accessor :title, :price
#                ^ def property scope=Shop::Book vis=public sig="attr_accessor :title, :price"
#                        ^ def property scope=Shop::Book vis=public sig="attr_accessor :title, :price"
  attr_reader :isbn
#              ^ def property scope=Shop::Book vis=public sig="attr_reader :isbn"
  # == documented method with a multi-line signature
  # Finds a book.
# <- comment
  # Slowly.
# <- comment
  def find(name, limit = 3,
#     ^ def method scope=Shop::Book vis=public sig="def find(name, limit = 3, *rest, strict: false, **options, &block)" end=+5
           *rest, strict: false, **options, &block)
    result = name
    lookup(name).first
#   ^ ref call owner=find
#                ^ ref call owner=find recv="lookup()"
    result
  end
  # == singleton method
  def self.open(path)
#          ^ def method scope=Shop::Book vis=public sig="def self.open(path)" end=+2
    new(path)
#   ^ ref call owner=open
  end
  # == operator, setter, predicate and bang methods
  def ==(other); end
#     ^ def method scope=Shop::Book vis=public sig="def ==(other)"
  def title=(value)
#     ^ def method scope=Shop::Book vis=public sig="def title=(value)" end=+3
    @title = value
#   ^ ref write owner=title=
    self.price = 3
#        ^ ref write owner=title= recv=self
  end
  def empty?
#     ^ def method scope=Shop::Book vis=public sig="def empty?" end=+2
    pages.zero?
#         ^ ref call owner=empty? recv=pages
  end
  def clear!
#     ^ def method scope=Shop::Book vis=public sig="def clear!" end=+3
    reset!
#   ^ ref call owner=clear!
    items.map(&:drop)
#         ^ ref call owner=clear! recv=items
#               ^ ref call owner=clear!
  end
  # == endless method
  def double(x) = x * 2
#     ^ def method scope=Shop::Book vis=public sig="def double(x)"
  # == singleton class
  class << self
    def build(attributes)
#       ^ def method scope=Shop::Book vis=public sig="def build(attributes)" end=+2
      Factory.new(attributes)
#     ^ ref instance owner=build
#             ^ ref call owner=build recv=Factory
    end

    private

    def secret
#       ^ def method scope=Shop::Book vis=private sig="def secret" end=+2
      1
    end
  end
  # == aliases and dynamic methods
  alias_method :search, :find
#               ^ def method scope=Shop::Book vis=public sig="alias_method :search, :find"
#                        ^ ref read owner=search
  alias size count
#       ^ def method scope=Shop::Book vis=public sig="alias size count"
#            ^ ref read owner=size
  define_method(:dynamic) { |x| x }
#                ^ def method scope=Shop::Book vis=public sig="define_method(:dynamic)"
  # == private listed by name
  def listed; end
#     ^ def method scope=Shop::Book vis=private sig="def listed"
  def shown; end
#     ^ def method scope=Shop::Book vis=public sig="def shown"
  private :listed
  private_constant :HIDDEN
  HIDDEN = 1
# ^ def const scope=Shop::Book vis=private sig="HIDDEN = 1"
  # == visibility before one method
  private def alone(x)
#             ^ def method scope=Shop::Book vis=private sig="private def alone(x)" end=+2
    x
  end
  private attr_reader :token
#                      ^ def property scope=Shop::Book vis=private sig="private attr_reader :token"
  # == protected and private sections
  protected

  def shared; end
#     ^ def method scope=Shop::Book vis=protected sig="def shared"

  private

  def hidden; end
#     ^ def method scope=Shop::Book vis=private sig="def hidden"
  # == class method is not reached by a section
  def self.still_public; end
#          ^ def method scope=Shop::Book vis=public sig="def self.still_public"
  # == nested class
  class Page < Struct.new(:number)
#       ^ def class scope=Shop::Book vis=public sig="class Page < Struct.new(:number)" end=+2
#              ^ ref instance owner=Page
#                     ^ ref call owner=Page recv=Struct
#                          ^ def property scope=Shop::Book::Page vis=public sig=:number
    def turn; end
#       ^ def method scope=Shop::Book::Page vis=public sig="def turn"
  end
  # == back to public
  public

  def visible; end
#     ^ def method scope=Shop::Book vis=public sig="def visible"
end
