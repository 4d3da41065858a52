# == what is broken leaves the rest alone
good(x) = x
# <- def fn

bad(x = = [

# What comes later.
function later(y)
#        ^ def fn doc="What comes later." sig="function later(y)"
    good(y)
    # <- ref call owner=later
end
