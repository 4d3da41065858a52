# == a file that is not finished
defmodule Log do
#         ^ def mod vis=public end=+2
  def write(text), do: text
#     ^ def fn scope=Log vis=public
end
defmodule Rest do
  def close(
