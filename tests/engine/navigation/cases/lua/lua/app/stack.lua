local Stack = {}
Stack.__index = Stack

function Stack.new()
  return setmetatable({}, Stack)
--       ^ external
--                        ^ -> Stack
end

function Stack:size()
  return #self.items
end

function Stack.push(self, item)
  self:grow(self:size())
--     ^ -> grow
--               ^ -> size
end

function Stack:grow(by)
  self.items = by
  self:unknown()
--     ^ unresolved
end

return Stack
