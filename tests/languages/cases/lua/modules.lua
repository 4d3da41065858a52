#!/usr/bin/env lua
-- == module table with documentation
--- Counts things.
-- <- doc
local M = {}
--    ^ def var vis=private sig="local M" doc="Counts things."
-- == imports bound to a name
local json = require("cjson.safe")
-- <- import module=cjson.safe alias=json
--    ^ none
local encode = require "cjson".encode
-- <- import module=cjson name=encode alias=encode
-- == imports without a name, loaded files, guarded imports
require "app.setup"
-- <- import module=app.setup
-- <- none
dofile("tasks.lua")
-- <- import module=tasks.lua
-- <- ref call
local ok, lfs = pcall(require, "lfs")
-- <- import module=lfs alias=lfs
--    ^ def var vis=private
--        ^ def var vis=private
-- == constants and variables of the file
local MAX_SIZE = 10
--    ^ def const vis=private sig="local MAX_SIZE = 10"
local ratio <const>, other = 0.5, nil
--    ^ def const vis=private
--                   ^ def var vis=private
count = 0
-- <- def var vis=public sig="count = 0"
VERSION = "1.0"
-- <- def const vis=public sig="VERSION = \"1.0\""
local later
--    ^ def var vis=private sig="local later"
-- == fields of the module table
M.size = MAX_SIZE
--^ def field scope=M vis=public sig="M.size = MAX_SIZE"
-- <- ref read owner=size
--       ^ ref read owner=size
M._cache = {}
--^ def field scope=M vis=private sig="M._cache"
M.options.depth = 3
--        ^ def field scope=M.options vis=public
-- == local function
--[[ Adds two numbers. ]]
local function add(a, b, ...)
--             ^ def fn vis=private sig="local function add(a, b, ...)" doc="Adds two numbers." end=+4
  local sum = a + b
  count = count + 1
--^ ref write owner=add
--        ^ ref read owner=add
  return sum
--       ^ none
end
-- == global function
function reset(self)
--       ^ def fn vis=public sig="function reset(self)" end=+2
  self.size = 0
--     ^ ref write owner=reset
end
-- == function of a table
function M.sum(list)
--         ^ def fn scope=M vis=public sig="function M.sum(list)" end=+7
  local total = 0
  for index, value in ipairs(list) do
--                    ^ ref call owner=sum
    total = add(total, value)
--          ^ ref call owner=sum
    M.report(index)
--    ^ ref call owner=sum recv=M
  end
  return total
--       ^ none
end
function M.deep.inner.run() end
--                    ^ def fn scope=M.deep.inner vis=public sig="function M.deep.inner.run()"
-- == method
--- Grows the counter.
function M:grow(by)
--         ^ def method scope=M vis=public sig="function M:grow(by)" doc="Grows the counter." end=+4
  self:touch(by):commit()
--     ^ ref call owner=grow recv=self
--               ^ ref call owner=grow recv="self.touch()"
  self.size = self.size + by
--     ^ ref write owner=grow recv=self
--                 ^ ref read owner=grow recv=self
  by:notify(json.encode(self))
--   ^ ref call owner=grow recv=by
--               ^ ref call owner=grow recv=json
end
function M:_hidden() end
--         ^ def method scope=M vis=private sig="function M:_hidden()"
-- == functions as values
local square = function(x) return x * x end
--    ^ def fn vis=private sig="local square = function(x)"
M.double = function(x)
--^ def fn scope=M vis=public sig="M.double = function(x)" end=+2
  return x * 2
end
handler = function() end
-- <- def fn vis=public sig="handler = function()"
-- == table with function fields
local Shape = {
--    ^ def var vis=private sig="local Shape" end=+7
  sides = 4,
--^ def field scope=Shape vis=public sig="sides = 4"
  ["corner-count"] = 4,
--  ^ def field scope=Shape vis=public
  area = function(self) return self.sides end,
--^ def fn scope=Shape vis=public sig="area = function(self)"
  draw = { fast = function() end },
--^ def field scope=Shape vis=public sig="draw"
--         ^ def fn scope=Shape.draw vis=public sig="fast = function()"
  add,
--^ ref read owner=Shape
  [MAX_SIZE] = true,
-- ^ ref read owner=Shape
}
-- == a table that inherits
local Square = setmetatable({}, { __index = Shape })
--    ^ def var vis=private
--             ^ ref call owner=Square
--                                          ^ ref inherit owner=Square
-- == nested functions and shadowed names
function M.outer(name)
--         ^ def fn scope=M vis=public end=+7
  local function inner(depth)
--               ^ def fn scope=M.outer vis=private end=+2
    return name .. depth
  end
  local callback = function() end
--      ^ def fn scope=M.outer vis=private sig="local callback = function()"
  setup { on_done = callback, on_fail = function(why) error(why) end }
--^ ref call owner=outer
--                                      ^ none
--        ^ none
--                            ^ def fn scope=M.outer vis=public sig="on_fail = function(why)"
--                                                    ^ ref call owner=on_fail
  return inner(1)
--       ^ ref call owner=outer
end
-- == writes, labels and long strings
M.size, count = 1, 2
--^ ref write recv=M
--      ^ ref write
do
  goto done
  print([[ not_a_call() ]])
--^ ref call
end
::done::
-- <- none
-- == global function inside a block
if ok then
  function when_ready() end
--         ^ def fn vis=public sig="function when_ready()"
end
return M
--     ^ ref read
