-- == module head, export list and pragmas
{-# LANGUAGE LambdaCase #-}
-- <- comment
module Data.Shop
  ( Order(..)
--  ^ ref type
  , Shape (Circle)
  , total
--  ^ ref read
  , (<+>)
  , Container(empty)
  ) where

-- == imports
import Data.List (sort, nub)
-- <- import module="Data.List" name="sort"
-- <- import module="Data.List" name="nub"
--                ^ ref import
import qualified Data.Map.Strict as M
-- <- import module="Data.Map.Strict" alias="M"
import Data.Text hiding (map)
-- <- import module="Data.Text"
import Control.Exception (Exception(..), throwIO)
-- <- import module="Control.Exception" name="Exception"
-- <- import module="Control.Exception" name="throwIO"
import Shop.Types
-- <- import module="Shop.Types"
--     ^ ref import

-- == a record: its constructor and fields are public with it
-- | An order of the shop.
-- <- doc
data Order = Order
--   ^ def struct vis=public sig="data Order" doc="An order of the shop." end=+3
--           ^ def field scope=Order vis=public sig="Order"
  { orderId :: !Int -- ^ the number
--  ^ def field scope=Order vis=public sig="orderId :: !Int" doc="the number"
--              ^ ref type owner=orderId recv=""
  , orderName, orderNote :: Text
--  ^ def field scope=Order sig="orderName, orderNote :: Text"
--             ^ def field scope=Order
  } deriving (Show, Eq)
--            ^ ref inherit owner=Order

-- == several constructors, one of them exported
data Shape = Circle Double | Square { side :: Double } | Int :+: Int deriving stock Show
--   ^ def enum vis=public sig="data Shape"
--           ^ def field scope=Shape vis=public sig="Circle Double"
--                           ^ def field scope=Shape vis=private
--                                    ^ def field scope=Shape vis=private
--                                                           ^ def field scope=Shape
--                                                                                  ^ ref inherit

-- == documentation behind and before constructors
data Level
--   ^ def enum
  -- | lowest
  = Low
--  ^ def field scope=Level doc="lowest"
  | High -- ^ highest
--  ^ def field scope=Level doc="highest"

-- == newtype and type synonym
newtype Wrap a = Wrap { unWrap :: a }
--      ^ def struct vis=private sig="newtype Wrap a"
--               ^ def field scope=Wrap
--                      ^ def field scope=Wrap sig="unWrap :: a"
type Name = String
--   ^ def type sig="type Name = String"
--          ^ ref type owner=Name

-- == families and generalised constructors
type family Elem a where
--          ^ def type sig="type family Elem a where"
  Elem [b] = b
data Term a where
--   ^ def enum
  Lit :: Int -> Term Int
  -- <- def field scope=Term sig="Lit :: Int -> Term Int"
  Neg, Abs :: Term Int -> Term Int
  -- <- def field scope=Term
--     ^ def field scope=Term

-- == a signature and its equations are one function
-- | Adds everything.
total :: Num a
-- <- def fn vis=public sig="total :: Num a => a -> a" doc="Adds everything." end=+7
--       ^ ref type owner=total
      => a
      -> a
total 0 = 1
-- <- none
total n = go n
-- <- none
--        ^ ref call owner=total recv="~"
  where
    go x = x + helper
--  ^ none
--             ^ none
    helper = 3
--  ^ none

-- == one signature for two functions
-- | Ends of a range.
low, high :: Int
-- <- none
low = 0
-- <- def fn sig="low, high :: Int" doc="Ends of a range." vis=private
high = 9
-- <- def fn sig="low, high :: Int" doc="Ends of a range."

-- == operators
(<+>) :: Int -> Int -> Int
 -- <- def fn vis=public sig="(<+>) :: Int -> Int -> Int" end=+1
a <+> b = a + b
infixl 6 <+>
x `join` y = x <+> y
-- ^ def fn sig="x `join` y" vis=private
--             ^ ref call owner=join

-- == a class, its methods and their defaults
class (Eq a) => Container f a where
--     ^ ref inherit owner=Container
--              ^ def trait sig="class (Eq a) => Container f a where"
  -- | Nothing in it.
  empty :: f a
  -- <- def method scope=Container vis=public doc="Nothing in it." sig="empty :: f a"
  insert :: a -> f a -> f a
  -- <- def method scope=Container vis=private sig="insert :: a -> f a -> f a" end=+1
  insert _ = id
  type Key f
--     ^ def type scope=Container

-- == instances are named by their type
instance Container [] Int where
--       ^ ref inherit owner=Int
--                    ^ def impl sig="instance Container [] Int where" vis=public end=+2
  empty = []
  -- <- def method scope=Int vis=public
  insert a b = a : b
  -- <- def method scope=Int sig="insert a b"
instance Show a => Show (Wrap a)
--                       ^ def impl sig="instance Show a => Show (Wrap a)"
deriving instance Eq (Term a)
--                ^ ref inherit
--                    ^ def impl

-- == calls, constructors and exceptions
main :: IO ()
-- <- def fn sig="main :: IO ()" end=+11
main = do
  let y = total 3
--    ^ none
--        ^ ref call owner=main
  line <- getLine
  -- <- none
--        ^ ref call
  putStrLn $ show (M.lookup 3 y)
  -- <- ref call
--                   ^ ref call recv=M
  print (Circle 2.5)
--       ^ ref instance
  print $ sort (map total [1]) `elem` []
--                  ^ ref read
  let o = Order { orderId = 1 }
--        ^ ref instance
--                ^ ref write recv=Order
  throwIO (Broken "x")
--         ^ ref throw
  print o { orderName = line }
--          ^ ref write
  case o of
    Order { orderId = n } -> print n
--  ^ ref read

-- == guards, lambdas and patterns bind locally
classify :: Int -> String
-- <- def fn end=+4
classify n
  | n > limit = "big"
  | otherwise = pick (\v -> v)
--                    ^ none
  where limit = 3

-- == foreign functions, pattern synonyms, tuples at the top
foreign import ccall "math.h sin" c_sin :: Double -> Double
--                                ^ def fn
pattern Two a b = (a, b)
--      ^ def fn
(left, right) = (1, 2)
 -- <- def var
--     ^ def var
