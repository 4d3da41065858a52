-- == a broken declaration leaves the rest alone
module Broken where

good :: Int
-- <- def fn vis=public sig="good :: Int" end=+1
good = 1

bad = = 2
-- <- def fn
data = where ( [

-- | Still here.
later :: Int -> Int
-- <- def fn doc="Still here."
later n = good + n

-- == no export list: everything is public
newtype Open = Open Int
--      ^ def struct vis=public
--             ^ def field vis=public scope=Open
