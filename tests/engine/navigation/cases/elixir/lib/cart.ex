defmodule Shop.Cart do
  alias Shop.Item
  alias Shop.{Price, Store}
  alias Shop.Ledger, as: Book
  import Shop.Helpers

  @limit 10

  defstruct [:items]

  def new(items) do
    %Item{name: check(items)}
#    ^ -> lib/item.ex Item
#               ^ -> check
  end

  def add(cart, item) do
    cart |> push(item) |> Store.save()
#           ^ -> push
#                         ^ -> lib/store.ex Store
#                               ^ -> lib/store.ex save
    Item.label(item)
#        ^ -> lib/item.ex label
    Price.of(item)
#         ^ external
    Book.write(cart)
#        ^ -> lib/store.ex write
    Shop.Item.label(@limit)
#             ^ -> lib/item.ex label
#                    ^ -> limit
    Enum.map(cart, &push/2)
#        ^ external
#                   ^ -> push
    shout(item)
#   ^ -> lib/item.ex shout
    __MODULE__.new(cart)
#              ^ -> new
    Inner.go()
#   ^ -> Inner
#         ^ -> go
  end

  defp push(cart, item), do: check(item)
#                            ^ -> check

  defp check(item), do: item

  defmodule Inner do
    def go, do: Shop.Cart.add(1, 2)
#                         ^ -> add
    def stay, do: go()
#                 ^ -> go
  end
end
