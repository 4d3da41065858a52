local M = {}
M.text = {}

local function strip(value)
  return value
end

function M.trim(value)
  return strip(value)
--       ^ -> strip
end

function M.text.upper(value)
  return M.trim(value)
--         ^ -> trim
--       ^ -> M
end

M.lower = function(value)
  return M.text.upper(value)
--              ^ -> upper
end

return M
--     ^ -> M
