local util = require("app.util")
local Stack = require "app.stack"
local push = require("app.stack").push
local json = require("cjson")

local limit = 3

local function double(n)
  return n * 2
end

function run(list)
  local total = double(limit)
--              ^ -> double
--                     ^ -> limit
  util.trim(total)
--     ^ -> lua/app/util.lua trim
--^ -> lua/app/util.lua M
  util.text.upper(total)
--          ^ -> lua/app/util.lua upper
  util.missing(total)
--     ^ unresolved
  json.encode(total)
--     ^ external
  push(list, 1)
--^ -> lua/app/stack.lua push
  local stack = Stack.new()
--                    ^ -> lua/app/stack.lua new
  print(stack)
--^ external
  return double
--       ^ -> double
end

local function shadow(double)
  return double(1)
--       ^ external
end

run({})
shadow(run)
--     ^ -> run
