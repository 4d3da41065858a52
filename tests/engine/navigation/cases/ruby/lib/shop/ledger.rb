module Shop
  class Ledger
    def add(entry)
      Shop::LIMIT + entry.id
#           ^ -> lib/shop.rb Shop::LIMIT
#                         ^ unresolved
    end
  end
end
