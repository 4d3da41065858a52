(* == prose at the head of a file *)
(** The shop. *)
(* <- doc *)

(* == open *)
open Core
(* <- import module="Core" name="*" *)
(*   ^ ref import *)

(* == documentation behind a type *)
type t = A | B of int
(*   ^ def enum sig="type t" doc="What is sold." *)
(*       ^ def field scope=t doc="" *)
(*           ^ def field scope=t sig="B of int" doc="" *)
(*                ^ ref type owner=B *)
(** What is sold. *)

(* == documentation behind a value *)
val make : ?size:int -> string -> t
(*  ^ def fn sig="val make : ?size:int -> string -> t" doc="[make] makes one." vis=public *)
(*                                ^ ref type owner=make *)
(** [make] makes one. *)

(* == documentation before a value *)
(** All of them. *)
val all : t list
(*  ^ def var sig="val all : t list" doc="All of them." *)

(* == abstract types *)
type token
(*   ^ def type sig="type token" *)

(* == type aliases *)
type pair = int * int
(*   ^ def type sig="type pair = int * int" *)

(* == records *)
type point = {
(*   ^ def struct end=+3 *)
  x : int; (** across *)
  (* <- def field scope=point doc="across" *)
  mutable y : int;
(*        ^ def field scope=point sig="mutable y : int" *)
}

(* == exceptions *)
exception Closed of string
(*        ^ def type *)

(* == modules with a signature *)
module Inner : sig
(*     ^ def mod sig="module Inner" end=+2 *)
  val depth : int
(*    ^ def var scope=Inner *)
end

(* == module types *)
module type STORE = sig
(*          ^ def interface *)
  type key
(*     ^ def type scope=STORE *)
  val get : key -> t option
(*    ^ def fn scope=STORE *)
(*          ^ ref type owner=get *)
end

(* == functors *)
module Make (X : STORE) : STORE
(*     ^ def mod sig="module Make (X : STORE) : STORE" *)
(*                        ^ ref inherit owner=Make *)

(* == externals *)
external size : t -> int = "shop_size"
(*       ^ def fn *)

(* == classes *)
class counter : int -> object method incr : int end
(*    ^ def class *)
(*                                   ^ def method scope=counter *)

(* == include *)
include module type of Shared
(* <- import module="Shared" name="*" *)
include STORE
(*      ^ ref inherit *)

(* == operators *)
val ( + ) : t -> t -> t
(*    ^ def fn sig="val ( + ) : t -> t -> t" *)
