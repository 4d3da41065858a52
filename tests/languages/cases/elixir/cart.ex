# == module with documentation
defmodule Shop.Cart do
#              ^ def mod scope=Shop vis=public sig="defmodule Shop.Cart" doc="Carts hold things." end=+50
  @moduledoc """
  Carts hold things.
  """
  # == imports
  use GenServer
# <- import module=GenServer
#     ^ ref import owner=Cart
  alias Shop.Store
# <- import module=Shop name=Store
#            ^ ref import owner=Cart recv=Shop
  alias Shop.{Item, Price}
# <- import module=Shop name=Item
# <- import module=Shop name=Price
#             ^ ref import owner=Cart
  alias Shop.Ledger, as: Book
# <- import module=Shop name=Ledger alias=Book
#                        ^ none
  import Enum, only: [map: 2]
# <- import module=Enum name=*
  require Logger
# <- import module=Logger
  # == behaviour
  @behaviour Shop.Thing
#                 ^ ref inherit owner=Cart recv=Shop
#  ^ none
  # == attributes are constants of the module
  @limit 10
#  ^ def const scope=Shop.Cart vis=private sig="@limit 10"
  @limit 20
#  ^ ref write owner=Cart
  # == types
  @typedoc "A cart."
  @type t :: %__MODULE__{items: [Item.t()], total: integer}
#       ^ def type scope=Shop.Cart vis=public sig="@type t :: %__MODULE__{items: [Item.t()], total: integer}" doc="A cart."
#                                ^ ref type owner=t
#                                     ^ ref type owner=t recv=Item
  @typep state :: t
#        ^ def type scope=Shop.Cart vis=private sig="@typep state :: t"
#                 ^ ref type owner=state
  @opaque key(kind) :: kind
#         ^ def type scope=Shop.Cart vis=public
  # == callbacks
  @callback fetch(term) :: {:ok, term}
#           ^ def fn scope=Shop.Cart vis=public sig="@callback fetch(term) :: {:ok, term}"
  # == struct
  defstruct [:items, total: 0]
#             ^ def field scope=Shop.Cart vis=public sig=":items"
#                    ^ def field scope=Shop.Cart vis=public sig="total: 0"
  # == function with documentation, specification and guard
  @doc """
  Adds an item.
  """
  @spec add(t, Item.t()) :: t
#       ^ none
#           ^ ref type owner=Cart
#                           ^ ref type owner=Cart
  # Slowly.
# <- comment
  def add(%__MODULE__{} = cart, item) when is_map(item) do
#     ^ def fn scope=Shop.Cart vis=public sig="def add(%__MODULE__{} = cart, item) when is_map(item)" doc="Adds an item." end=+3
#                                          ^ ref call owner=add
    cart |> push(item) |> Store.save() |> finish
#           ^ ref call owner=add
#                         ^ ref type owner=add
#                               ^ ref call owner=add recv=Store
#                                         ^ ref call owner=add
#   ^ none
    if cart, do: @limit, else: Book.Entry.total(cart)
#   ^ none
#                 ^ ref read owner=add
#                                   ^ ref type owner=add recv=Book
#                                         ^ ref call owner=add recv=Book.Entry
  end
  # == short functions, several clauses, no parentheses
  def size(nil), do: 0
#     ^ def fn scope=Shop.Cart vis=public sig="def size(nil)"
  def size(cart), do: length(cart.items)
#     ^ def fn scope=Shop.Cart vis=public sig="def size(cart)"
#                     ^ ref call owner=size
  def ready? do
#     ^ def fn scope=Shop.Cart vis=public sig="def ready?" end=+2
    true
  end
  # == private function with a default
  @doc false
  defp push(cart, item \\ nil), do: %Item{name: item}
#      ^ def fn scope=Shop.Cart vis=private sig="defp push(cart, item \\\\ nil)"
#                                    ^ ref instance owner=push
  # == macros and guards
  defmacro trace(x) do
#          ^ def macro scope=Shop.Cart vis=public sig="defmacro trace(x)" end=+2
    quote do: unquote(x)
  end
  defmacrop hidden(x), do: x
#           ^ def macro scope=Shop.Cart vis=private sig="defmacrop hidden(x)"
  defguard is_small(x) when x < 3
#          ^ def macro scope=Shop.Cart vis=public sig="defguard is_small(x) when x < 3"
  # == operator and delegate
  def a <~> b, do: a + b
#       ^ def fn scope=Shop.Cart vis=public sig="def a <~> b"
  defdelegate count(cart), to: Store
#             ^ def fn scope=Shop.Cart vis=public sig="defdelegate count(cart), to: Store"
#                              ^ ref read owner=count
  # == exceptions that are raised
  def check!(%Item{} = item) do
#     ^ def fn scope=Shop.Cart vis=public end=+3
#             ^ ref type owner=check!
    raise ArgumentError, "no"
#   ^ none
#         ^ ref throw owner=check!
    raise %Shop.Error{message: "x"}
#               ^ ref throw owner=check! recv=Shop
  end
  # == captures and other modules
  def all(list), do: Enum.map(list, &size/1)
#     ^ def fn scope=Shop.Cart vis=public
#                    ^ ref type owner=all
#                         ^ ref call owner=all recv=Enum
#                                    ^ ref call owner=all
  # == nested module
  defmodule Line do
#           ^ def mod scope=Shop.Cart vis=public sig="defmodule Line" end=+2
    def go(), do: Shop.Cart.size(nil)
#       ^ def fn scope=Shop.Cart.Line vis=public
#                           ^ ref call owner=go recv=Shop.Cart
  end
end
# == protocol
defprotocol Size do
#           ^ def interface vis=public sig="defprotocol Size" end=+3
  @doc "How big."
  def size(thing)
#     ^ def fn scope=Size vis=public sig="def size(thing)" doc="How big."
end
# == implementation of a protocol
defimpl Size, for: Shop.Cart do
#       ^ ref inherit owner=Cart
#                       ^ def impl scope=Shop vis=public sig="defimpl Size, for: Shop.Cart" end=+2
  def size(cart), do: cart.total
#     ^ def fn scope=Shop.Cart vis=public
end
defimpl Size, for: [Map, List] do
#       ^ def impl vis=public end=+2
  def size(_), do: 0
#     ^ def fn scope=Size vis=public
end
# == exception
defmodule Shop.Error do
#              ^ def mod scope=Shop vis=public end=+2
  defexception message: "bad"
#              ^ def field scope=Shop.Error vis=public sig="message: \"bad\""
end
