module Shop
  module Naming
    def label
      name.upcase
#     ^ unresolved
#          ^ unresolved
    end

    def shout
      label
#     ^ -> Naming.label
    end
  end

  class Entity
    include Naming
#           ^ -> Naming

    attr_accessor :id

    def save
      self.id = next_id
#          ^ -> Entity.id
#               ^ -> Entity.next_id
      raise Error if id > LIMIT
#           ^ -> lib/shop.rb Shop::Error
#                    ^ -> Entity.id
#                         ^ -> lib/shop.rb Shop::LIMIT
      self
    end

    private

    def next_id
      1
    end
  end
end
