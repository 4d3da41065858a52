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
# == titles with signs in them
defmodule Shop.TitleTest do
#              ^ def mod scope=Shop vis=public end=+6
  test "prices: v1.2 of Shop.Cart" do
#       ^ def fn scope=Shop.TitleTest vis=public
  end
  test "returns :empty at once" do
#       ^ def fn scope=Shop.TitleTest vis=public
    assert Shop.Cart.add(nil, 1)
#                    ^ ref call owner="returns :empty at once" recv=Shop.Cart
  end
end
