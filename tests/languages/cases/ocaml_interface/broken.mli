(* == a broken item leaves the rest alone *)
val good : int
(*  ^ def var *)

val bad : (

val later : int -> int
(*  ^ def fn sig="val later : int -> int" *)
