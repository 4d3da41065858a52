; Names bound to imported files are imports; those that are public pass them on, which shows only before them.
(VarDecl variable_type_function: (IDENTIFIER) @name @definition.none (_ (_ . (BUILTINIDENTIFIER) @_import)) (#eq? @_import "@import"))

; Types are constants that hold a container.
((VarDecl variable_type_function: (IDENTIFIER) @name (_ (_ (ContainerDecl (ContainerDeclType) @_kind "{" @body)))) @definition.enum
  (#match? @_kind "^enum"))
(VarDecl variable_type_function: (IDENTIFIER) @name (_ (_ (ContainerDecl (ContainerDeclType) "{" @body)))) @definition.struct
(VarDecl variable_type_function: (IDENTIFIER) @name (_ (_ (ErrorSetDecl "{" @body)))) @definition.enum

; Functions, and members of containers, those without a name of their own included.
(ContainerDecl (Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.method)
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.fn
(ContainerField field_member: (IDENTIFIER) @name @visibility.public) @definition.field
((ContainerDecl (ContainerDeclType) @_kind (ContainerField . (_ (_ . (IDENTIFIER) @name @visibility.public .))) @definition.field)
  (#match? @_kind "^(enum|union)"))
(ErrorSetDecl field_constant: (IDENTIFIER) @name @definition.field @visibility.public)
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @definition.fn

; Constants and variables; those of blocks are local.
(Statement (VarDecl variable_type_function: (IDENTIFIER) @name @definition.none))
(VarDecl variable_type_function: (IDENTIFIER) @name) @definition.var

; Imports.
(VarDecl variable_type_function: (IDENTIFIER) @import.alias (_ (_ . (BUILTINIDENTIFIER) @_import
  . (FnCallArguments (_ (_ (STRINGLITERALSINGLE) @import.module))) .)) (#eq? @_import "@import")) @import
(VarDecl variable_type_function: (IDENTIFIER) @import.alias (_ (_ . (BUILTINIDENTIFIER) @_import
  . (FnCallArguments (_ (_ (STRINGLITERALSINGLE) @import.module)))
  . (FieldOrFnCall field_access: (IDENTIFIER) @import.name @reference.import) .)) (#eq? @_import "@import")) @import
(Decl "usingnamespace" @import.star (_ (_ . (BUILTINIDENTIFIER) @_import
  . (FnCallArguments (_ (_ (STRINGLITERALSINGLE) @import.module))))) (#eq? @_import "@import")) @import
(SuffixExpr . (BUILTINIDENTIFIER) @_import
  . (FnCallArguments (_ (_ (STRINGLITERALSINGLE) @import.module))) (#any-of? @_import "@import" "@cInclude")) @import

; References.
((IDENTIFIER) @reference.none (#eq? @reference.none "_"))
(SwitchItem (_ (SuffixExpr "error" field_constant: (IDENTIFIER) @reference.type)))
(SuffixExpr "error" field_constant: (IDENTIFIER) @reference.throw)
(SuffixExpr variable_type_function: (IDENTIFIER) @reference.call . (FnCallArguments))
(FieldOrFnCall function_call: (IDENTIFIER) @reference.call)
((ErrorUnionExpr (SuffixExpr [
  (IDENTIFIER) @reference.instance (FieldOrFnCall field_access: (IDENTIFIER) @reference.instance)] .)) . (InitList))
((ErrorUnionExpr) @holder . (InitList (FieldInit field_member: (IDENTIFIER) @reference.write)))
((ErrorUnionExpr (SuffixExpr [
  (IDENTIFIER) @reference.write (FieldOrFnCall field_access: (IDENTIFIER) @reference.write)] .)) . (AssignOp))
(ParamType (_ (SuffixExpr [
  (IDENTIFIER) @reference.type (FieldOrFnCall field_access: (IDENTIFIER) @reference.type)] .)))
(FnProto (_ (SuffixExpr [
  (IDENTIFIER) @reference.type (FieldOrFnCall field_access: (IDENTIFIER) @reference.type)] .)))
(VarDecl ":" . (_ (SuffixExpr [
  (IDENTIFIER) @reference.type (FieldOrFnCall field_access: (IDENTIFIER) @reference.type)] .)))
(ContainerField field_member: (IDENTIFIER) (_ (SuffixExpr [
  (IDENTIFIER) @reference.type (FieldOrFnCall field_access: (IDENTIFIER) @reference.type)] .)))
(SuffixExpr variable_type_function: (IDENTIFIER) @reference.type . (FieldOrFnCall) (#match? @reference.type "^[A-Z]"))

(line_comment) @comment
[(doc_comment) (container_doc_comment)] @doc

; What is known of values.
(ParamDecl parameter: (IDENTIFIER) @binding.name (ParamType (ErrorUnionExpr) @binding.type))
(VarDecl variable_type_function: (IDENTIFIER) @binding.name ":" . (ErrorUnionExpr) @binding.type)
(VarDecl variable_type_function: (IDENTIFIER) @binding.name . (ErrorUnionExpr) @binding.type . (InitList))
(VarDecl variable_type_function: (IDENTIFIER) @binding.name . (ErrorUnionExpr (SuffixExpr . (IDENTIFIER))) @binding.value .)
(VarDecl variable_type_function: (IDENTIFIER) @binding.name . (UnaryExpr left: (ErrorUnionExpr) @binding.value) .)
(ContainerField field_member: (IDENTIFIER) @binding.member . (ErrorUnionExpr) @binding.type)
(FnProto (ErrorUnionExpr) @binding.returns .)
