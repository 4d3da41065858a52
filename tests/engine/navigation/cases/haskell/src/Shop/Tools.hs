module Shop.Tools where

import Shop.Types (Order(..), emptyOrder)
--                 ^ -> src/Shop/Types.hs Order
--                            ^ -> src/Shop/Types.hs emptyOrder

double :: Int -> Int
double n = n + n

total :: [Order] -> Int
--        ^ -> src/Shop/Types.hs Order
total orders = double (length orders)
--             ^ -> double

fresh :: Order
fresh = emptyOrder
--      ^ -> src/Shop/Types.hs emptyOrder

helper :: Int -> Int
helper n = go n
  where go m = double m
--             ^ -> double
