defmodule Shop.Store do
  @behaviour Shop.Saving
#                 ^ -> Saving
  def save(cart), do: Shop.Ledger.write(cart)
#                                 ^ -> write
end

defmodule Shop.Saving do
  @callback save(term) :: term
end

defmodule Shop.Ledger do
  def write(entry), do: entry
end
