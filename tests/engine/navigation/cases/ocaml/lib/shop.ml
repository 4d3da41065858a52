type order = { id : int; mutable note : string }

type shape = Circle of int | Square of int

exception Bad of string

let limit = 10

let double n = n + n
(*             ^ unresolved *)

let area s =
  match s with
  | Circle r -> double r
(*  ^ -> Circle *)
(*              ^ -> double *)
  | Square a -> a
(*  ^ -> Square *)

let make n : order =
(*           ^ -> order *)
  if n > limit then raise (Bad "too much");
(*       ^ -> limit *)
(*                         ^ -> Bad *)
  { id = n; note = "" }
(*  ^ -> id *)
(*          ^ -> note *)

let rec even n = if n = 0 then true else odd (n - 1)
(*                                       ^ -> odd *)
and odd n = not (even n)
(*               ^ -> even *)

module Inner = struct
  let deep () = double limit
(*              ^ -> double *)
(*                     ^ -> limit *)
  let twice () = deep ()
(*               ^ -> deep *)
end

let use () = Inner.twice ()
(*           ^ -> Inner *)
(*                 ^ -> Inner.twice *)

class counter = object (self)
  method get = limit
(*             ^ -> limit *)
  method both = self#get
end

let made = new counter
(*             ^ -> counter *)

let shadow limit = limit + 1
(*                 ^ unresolved *)

let first = area (Circle 1)
(*          ^ -> area *)
(*                ^ -> Circle *)
let other = Elsewhere.run first
(*                    ^ external *)
(*                        ^ -> first *)
