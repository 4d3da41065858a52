defmodule Shop.Item do
  defstruct [:name]
  @type t :: %__MODULE__{}

  @spec label(t) :: t
#             ^ -> t
  def label(item), do: text(item)
#                      ^ -> text

  defp text(item), do: length(item)
#                      ^ external
end

defmodule Shop.Helpers do
  def shout(text), do: text
end
