; Every name; those bound inside functions; those that are no uses.
(IDENTIFIER) @name

(ParamDecl parameter: (IDENTIFIER) @local)
(Statement (VarDecl variable_type_function: (IDENTIFIER) @local))
(PtrPayload variable: (IDENTIFIER) @local)
(PtrIndexPayload variable: (IDENTIFIER) @local)
(PtrListPayload variable: (IDENTIFIER) @local)
(Payload variable: (IDENTIFIER) @local)

(BlockLabel (IDENTIFIER) @silent)
(BreakLabel (IDENTIFIER) @silent)
(Decl (VarDecl variable_type_function: (IDENTIFIER) @silent))
