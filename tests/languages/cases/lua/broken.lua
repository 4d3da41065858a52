-- == a file that is not finished
local Log = {}
--    ^ def var vis=private
function Log.write(text)
--           ^ def fn scope=Log vis=public end=+2
  print(text)
--^ ref call owner=write
end
function Log.close(
