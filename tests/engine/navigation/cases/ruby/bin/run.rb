require 'shop'

def helper(order)
  order.cancel
#       ^ unresolved
end

order = Shop::Order.new('me')
order.cancel
#     ^ -> lib/shop/patches.rb Shop::Order.cancel
order.total.foo
#     ^ -> lib/shop/order.rb Shop::Order.total
#           ^ unresolved
if order
  helper(order)
# ^ -> helper
end
Shop::Order.load(1)
#           ^ -> lib/shop/order.rb Shop::Order.load
Shop::Registry.build.add(order)
#                    ^ -> lib/shop/registry.rb Shop::Registry.add
one = Shop::Registry.build
one = Shop::Ledger.new
one.add(order)
#   ^ ambiguous 2
Shop::Missing
#     ^ unresolved
'x'.upcase
#   ^ external
begin
  order.save
#       ^ -> lib/shop/entity.rb Shop::Entity.save
rescue Shop::Error => error
#            ^ -> lib/shop.rb Shop::Error
  error.message
#       ^ external
end
