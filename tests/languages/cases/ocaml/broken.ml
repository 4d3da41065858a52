(* == what is broken leaves the rest alone *)
let good x = x
(*  ^ def fn *)

let bad = = (

let later y = good y
(*  ^ def fn sig="let later y" *)
(*            ^ ref call owner=later *)

(* == preprocessor lines are passed over *)
#if OCAML_VERSION >= (5, 0, 0)
let fresh () = good 1
(*  ^ def fn *)
#endif
let last () = fresh ()
(*  ^ def fn *)
(*            ^ ref call owner=last *)
