module Shop.Types
  ( Order(..)
  , Priced(..)
  , Shape(..)
  , emptyOrder
  ) where

data Order = Order { orderId :: Int, orderTotal :: Int }

data Shape = Circle Int | Square Int

class Priced a where
  price :: a -> Int

instance Priced Order where
--       ^ -> Priced
  price = orderTotal
--        ^ -> orderTotal

emptyOrder :: Order
--            ^ -> Order
emptyOrder = secret
--           ^ -> secret

secret :: Order
secret = Order 0 0
--       ^ -> Order
