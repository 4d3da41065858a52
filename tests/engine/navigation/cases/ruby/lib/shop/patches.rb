class Shop::Order
  def cancel
    total
#   ^ -> lib/shop/order.rb Shop::Order.total
    Line::EMPTY
#   ^ -> Line
#         ^ -> Line::EMPTY
  end

  class Line
    EMPTY = nil
  end
end
