module Shop
  class Order < Entity
#               ^ -> lib/shop/entity.rb Shop::Entity
    attr_reader :buyer

    def initialize(buyer)
      @buyer = Customer.new(buyer)
#              ^ -> Customer
      @lines = []
    end

    def self.load(id)
      new(id).save
    end

    def total
      save
#     ^ -> lib/shop/entity.rb Shop::Entity.save
      @buyer.greet
#            ^ -> Customer.greet
      buyer.greet
#     ^ -> Order.buyer
#           ^ -> Customer.greet
      @lines.each { |line| line.count }
#            ^ external
#                               ^ unresolved
      shout
#     ^ -> lib/shop/entity.rb Shop::Naming.shout
      puts format(total)
#     ^ external
#                 ^ -> Order.total
      Shop.setup(self)
#          ^ -> lib/shop.rb Shop.setup
    end
  end

  class Customer < Entity
    attr_reader :name

    def initialize(name)
      @name = name
    end

    def greet
      make_order.total
#     ^ -> Customer.make_order
#                ^ -> Order.total
    end

    def make_order
      Order.new(self)
#     ^ -> Order, lib/shop/patches.rb Shop::Order
    end
  end
end
