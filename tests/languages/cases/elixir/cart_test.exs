# == tests
defmodule Shop.CartTest do
#              ^ def mod scope=Shop vis=public end=+7
  use ExUnit.Case
# <- import module=ExUnit name=Case
  describe "adding" do
    test "keeps the order", %{cart: cart} do
#         ^ def fn scope=Shop.CartTest vis=public sig="test \"keeps the order\", %{cart: cart}" end=+2
      assert Shop.Cart.add(cart, 1)
#                      ^ ref call owner="keeps the order" recv=Shop.Cart
    end
  end
end
