# == before broken syntax
def sound_before
#   ^ def fn vis=public sig="def sound_before" end=+2
  one
# ^ ref call owner=sound_before
end
# == after broken syntax
x = = 3 )
class Later
#     ^ def class vis=public sig="class Later" end=+4
  def still
#     ^ def method scope=Later vis=public sig="def still" end=+2
    call_here(1)
#   ^ ref call owner=still
  end
end
