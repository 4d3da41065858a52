-- == returned table
local helper = require("tools.helper")
-- <- import module=tools.helper alias=helper
return {
  name = "plugin",
--^ def field vis=public sig="name = \"plugin\""
  start = function(options)
--^ def fn vis=public sig="start = function(options)" end=+3
    local run = helper.run
--                     ^ ref read owner=start recv=helper
    return run(options)
--         ^ ref call owner=start recv="~"
  end,
}
