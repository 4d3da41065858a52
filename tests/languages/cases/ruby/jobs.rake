# == task file
task :build do
# <- ref call
  compile(1)
# ^ ref call
end
def helper_task(name)
#   ^ def fn vis=public sig="def helper_task(name)" end=+2
  name
end
