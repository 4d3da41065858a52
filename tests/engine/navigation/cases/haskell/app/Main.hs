module Main (main) where

import qualified Data.Map as Map
import Shop.Tools
import qualified Shop.Types as T

main :: IO ()
main = do
  print (total [fresh])
--       ^ -> src/Shop/Tools.hs total
--              ^ -> src/Shop/Tools.hs fresh
  print (T.price T.emptyOrder)
--         ^ -> src/Shop/Types.hs price
--                 ^ -> src/Shop/Types.hs emptyOrder
  print (Map.size Map.empty)
--           ^ external
  print (area (T.Circle 2))
--       ^ -> area
--               ^ -> src/Shop/Types.hs Circle
  print (missing 3)
--       ^ unresolved

area :: T.Shape -> Int
--        ^ -> src/Shop/Types.hs Shape
area (T.Circle r) = double r
--      ^ -> src/Shop/Types.hs Circle
--                  ^ -> src/Shop/Tools.hs double
area (T.Square s) = s
--      ^ -> src/Shop/Types.hs Square
