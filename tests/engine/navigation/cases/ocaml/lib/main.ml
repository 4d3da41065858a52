open Tools

let run () = Shop.double 2
(*                ^ -> lib/shop.ml double *)

let made = Shop.make Shop.limit
(*              ^ -> lib/shop.ml make *)
(*                        ^ -> lib/shop.ml limit *)

let shape : Shop.shape = Shop.Circle 1
(*               ^ -> lib/shop.ml shape *)
(*                            ^ -> lib/shop.ml Circle *)

let deep () = Shop.Inner.twice ()
(*                       ^ -> lib/shop.ml Inner.twice *)

let tooled = helper 3
(*           ^ -> lib/tools.ml helper *)

let mapped = List.map helper []
(*                ^ external *)
(*                    ^ -> lib/tools.ml helper *)
