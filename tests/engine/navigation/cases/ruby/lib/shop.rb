require 'json'
require 'shop/entity'
require_relative 'shop/order'

module Shop
  LIMIT = 10

  class Error < StandardError; end
#               ^ external

  def self.setup(store)
    Registry.instance.add(store)
#   ^ -> lib/shop/registry.rb Shop::Registry
#            ^ -> lib/shop/registry.rb Shop::Registry.instance
#                     ^ -> lib/shop/registry.rb Shop::Registry.add
    JSON.dump(store)
#        ^ external
  end
end
