(* == imports *)
open Core
(* <- import module="Core" name="*" *)
(*   ^ ref import *)
open! Base.List
(* <- import module="Base.List" name="*" *)
(*         ^ ref import recv=Base *)
include Shared
(* <- import module="Shared" name="*" *)

(* == a variant type and its constructors *)
(** A shape. *)
(* <- doc *)
type shape =
(*   ^ def enum sig="type shape" doc="A shape." end=+2 *)
  | Circle of float  (** round *)
(*  ^ def field scope=shape sig="Circle of float" doc="round" *)
(*            ^ ref type owner=Circle *)
  | Square of { side : float }
(*  ^ def field scope=shape *)
(*              ^ def field scope="shape.Square" sig="side : float" *)

(* == records, types joined by and *)
type order = { id : int; (** the number *) mutable note : string }
(*   ^ def struct sig="type order" *)
(*             ^ def field scope=order doc="the number" *)
(*                                                 ^ def field scope=order sig="mutable note : string" *)
type tree = Leaf | Node of branch
(*   ^ def enum *)
(*          ^ def field scope=tree *)
(*                 ^ def field scope=tree *)
and branch = { left : tree; right : tree }
(*  ^ def struct sig=branch *)
(*             ^ def field scope=branch *)
(*                    ^ ref type owner=left *)
(*                          ^ def field scope=branch *)

(* == abstract types, aliases and exceptions *)
type 'a box
(*      ^ def type sig="type 'a box" *)
type name = string
(*   ^ def type sig="type name = string" *)
(*          ^ ref type owner=name *)
exception Bad of string
(*        ^ def type sig="exception Bad of string" *)

(* == functions *)
(** Adds two. *)
let add a b = a + b
(*  ^ def fn sig="let add a b" doc="Adds two." vis=public *)
(*            ^ none *)
let twice = fun x -> add x x
(*  ^ def fn sig="let twice" *)
(*                   ^ ref call owner=twice *)
let kind = function Leaf -> 0 | Node _ -> 1
(*  ^ def fn *)
(*                              ^ ref type owner=kind *)
external sinus : float -> float = "caml_sin"
(*       ^ def fn *)

(* == functions joined by and *)
let rec even n = if n = 0 then true else odd (n - 1)
(*      ^ def fn sig="even n" *)
(*                                       ^ ref call owner=even *)
(** The other one. *)
and odd n = not (even n)
(*  ^ def fn sig="odd n" doc="The other one." *)
(*               ^ ref call owner=odd *)

(* == values *)
let pi : float = 3.14
(*  ^ def var sig="let pi : float" *)
let (first, second) = (1, 2)
(*   ^ def var *)
(*          ^ def var *)
let () = print_endline "start"
(*       ^ ref call owner="" *)
let _ = add 1 2
(*  ^ none *)

(* == operators *)
let ( >>= ) m f = bind m f
(*    ^ def fn sig="let ( >>= ) m f" *)
let chained = start >>= add
(*  ^ def var *)
(*                  ^ ref call owner=chained *)
(*                      ^ ref call owner=chained *)

(* == what is bound inside a function is local *)
let run ?(limit = 1) ~label (z : int) : int =
(*  ^ def fn sig="let run ?(limit = 1) ~label (z : int) : int" end=+4 *)
  let inner q = q in
(*    ^ none *)
  let pair, rest = split z in
(*    ^ none *)
  ignore (pair, rest, label, limit);
  inner z |> succ
(*^ ref call recv="~" *)

(* == modules nest *)
module Inner = struct
(*     ^ def mod sig="module Inner" end=+5 *)
  let value = 1
(*    ^ def var scope=Inner *)
  module Deep = struct
(*       ^ def mod scope=Inner *)
    let f () = value
(*      ^ def fn scope="Inner.Deep" sig="let f ()" *)
(*             ^ ref read owner=f *)
  end
end
module Names = Map.Make (String)
(*     ^ def mod sig="module Names = Map.Make (String)" *)
(*                 ^ ref call owner=Names recv=Map *)

(* == signatures and functors *)
module type STORE = sig
(*          ^ def interface sig="module type STORE" *)
  type t
(*     ^ def type scope=STORE *)
  (** Makes one. *)
  val make : int -> t
(*    ^ def fn scope=STORE sig="val make : int -> t" doc="Makes one." *)
  val empty : t
(*    ^ def var scope=STORE *)
end
module Make (X : STORE) : STORE with type t = X.t = struct
(*     ^ def mod sig="module Make (X : STORE) : STORE with type t = X.t" *)
(*               ^ ref type owner=Make *)
(*                        ^ ref inherit owner=Make *)
  type t = X.t
(*     ^ def type scope=Make *)
  let make = X.make
(*    ^ def var scope=Make *)
(*             ^ ref read recv=X *)
  let empty = X.empty
(*    ^ def var scope=Make *)
end

(* == classes *)
class virtual counter start = object (self)
(*            ^ def class sig="class virtual counter start" *)
  inherit base as super
(*        ^ ref inherit owner=counter *)
  val mutable count = start
(*            ^ def field scope=counter vis=private *)
  method incr = count <- count + 1; self#get
(*       ^ def method scope=counter vis=public *)
(*              ^ ref write owner=incr *)
(*                                       ^ ref call recv=self *)
  method private get = count
(*               ^ def method scope=counter vis=private *)
  method virtual reset : unit
(*               ^ def method scope=counter *)
end
class type shown = object method show : string end
(*         ^ def interface *)
(*                               ^ def method scope=shown *)

(* == calls, constructors, writes and exceptions *)
let use o =
(*  ^ def fn end=+7 *)
  if o.id = 0 then raise (Bad "zero");
(*     ^ ref read recv=o *)
(*                        ^ ref throw owner=use *)
  o.note <- "x";
(*  ^ ref write recv=o *)
  total := 4;
(*^ ref write *)
  let c = new counter 3 in
(*            ^ ref instance *)
  let r = { id = 1; note = "n" } in
(*          ^ ref write *)
  List.iter (fun e -> print e) [ Circle 2.0 ];
(* <- import module="List" *)
(*     ^ ref call recv=List *)
(*                               ^ ref instance *)
  c, r

(* == plain comments are no documentation *)
(* nothing special *)
(* <- comment *)
let plain = 1
(*  ^ def var doc="" *)
