"""The languages whose definitions are read by a real parser: which files, which grammar, what counts as a definition.

Each query names the definition `@<kind>` and its name `@name`; `@owner` names the type that a method belongs to where
that is not the enclosing definition. Grammars are loaded when a file of the language is first read.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: the module that ships its grammar, the function in it, its definitions as a query."""

    name: str
    module: str
    query: str
    function: str = "language"
    parameters: str = "name_first"  # how a parameter is written, see `signatures`


_PYTHON = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @type
(module (expression_statement (assignment left: (identifier) @name) @value))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @value))
(module (if_statement consequence: (block (expression_statement (assignment left: (identifier) @name) @value))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @value)))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name) (#eq? @_self "self")) @field
(type_alias_statement left: (type (identifier) @name)) @type
"""
_JAVASCRIPT = """
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(function_expression name: (identifier) @name) @function
(class_declaration name: (_) @name) @type
(class name: (_) @name) @type
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name) @value
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @value
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name)) @field
"""
_JS_FIELDS = "(field_definition property: (_) @name) @field\n"
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(function_signature name: (identifier) @name) @function
(abstract_class_declaration name: (_) @name) @type
(abstract_method_signature name: (_) @name) @function
(method_signature name: (_) @name) @function
(interface_declaration name: (_) @name) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(enum_body (property_identifier) @name @field)
(enum_assignment name: (_) @name) @field
(public_field_definition name: (_) @name) @field
(property_signature name: (_) @name) @field
(internal_module name: (_) @name) @type
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
"""
)
_GO = """
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner (pointer_type (type_identifier) @owner)
  (generic_type type: (type_identifier) @owner) (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name) @function
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @value
(source_file (var_declaration (var_spec name: (identifier) @name) @value))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @value)))
(field_declaration name: (field_identifier) @name) @field
(method_elem name: (field_identifier) @name) @function
"""
_RUST = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @type
(enum_item name: (type_identifier) @name) @type
(union_item name: (type_identifier) @name) @type
(trait_item name: (type_identifier) @name) @type
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(mod_item name: (identifier) @name) @module
(const_item name: (identifier) @name) @value
(static_item name: (identifier) @name) @value
(macro_definition name: (identifier) @name) @function
(field_declaration name: (field_identifier) @name) @field
(enum_variant name: (identifier) @name) @field
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @extension
"""
_JAVA = """
(class_declaration name: (identifier) @name) @type
(interface_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(record_declaration name: (identifier) @name) @type
(annotation_type_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(annotation_type_element_declaration name: (identifier) @name) @function
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(enum_constant name: (identifier) @name) @field
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
"""
_C = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
(struct_specifier name: (type_identifier) @name body: (_)) @type
(union_specifier name: (type_identifier) @name body: (_)) @type
(enum_specifier name: (type_identifier) @name body: (_)) @type
(type_definition declarator: (type_identifier) @name) @type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @type
(preproc_def name: (identifier) @name) @value
(preproc_function_def name: (identifier) @name) @function
(enumerator name: (identifier) @name) @field
(field_declaration declarator: [(field_identifier) @name (pointer_declarator declarator: (field_identifier) @name) (array_declarator declarator: (field_identifier) @name)]) @field
(translation_unit (declaration declarator: [(identifier) @name (init_declarator declarator: (identifier) @name) (init_declarator declarator: (pointer_declarator declarator: (identifier) @name)) (init_declarator declarator: (array_declarator declarator: (identifier) @name))]) @value)
"""
_CPP = (
    _C
    + """
(class_specifier name: (type_identifier) @name body: (_)) @type
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @type
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @function
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)] @name))) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier)] @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (identifier) @name)))) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @function
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name)] @name)))) @function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @function
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @function
(field_declaration declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @function
"""
)
_C_SHARP = """
(class_declaration name: (identifier) @name) @type
(struct_declaration name: (identifier) @name) @type
(interface_declaration name: (identifier) @name) @type
(enum_declaration name: (identifier) @name) @type
(record_declaration name: (identifier) @name) @type
(delegate_declaration name: (identifier) @name) @type
(namespace_declaration name: (_) @name) @module
(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @field
(event_declaration name: (identifier) @name) @field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(enum_member_declaration name: (identifier) @name) @field
"""
_RUBY = """
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(alias name: (_) @name) @function
(class name: [(constant) @name (scope_resolution name: (_) @name)]) @type
(module name: [(constant) @name (scope_resolution name: (_) @name)]) @type
(assignment left: (constant) @name) @value
(assignment left: (instance_variable) @name) @field
(call method: (identifier) @_maker arguments: (argument_list (simple_symbol) @name)
  (#match? @_maker "^(attr_reader|attr_accessor|attr_writer|define_method|scope|has_many|has_one|belongs_to|delegate)$")) @field
"""
_PHP = """
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @function
(class_declaration name: (name) @name) @type
(interface_declaration name: (name) @name) @type
(trait_declaration name: (name) @name) @type
(enum_declaration name: (name) @name) @type
(enum_case name: (name) @name) @field
(const_element (name) @name) @value
(property_element name: (variable_name (name) @name)) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field
"""
_SWIFT = """
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(class_declaration name: (type_identifier) @name) @type
(class_declaration name: (user_type (type_identifier) @name)) @extension
(protocol_declaration name: (type_identifier) @name) @type
(typealias_declaration name: (type_identifier) @name) @type
(property_declaration name: (pattern (simple_identifier) @name)) @field
(protocol_property_declaration name: (pattern (simple_identifier) @name)) @field
(enum_entry name: (simple_identifier) @name) @field
(init_declaration "init" @name) @function
"""
_BASH = """
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @value
"""

PYTHON = Language(name="python", module="tree_sitter_python", query=_PYTHON)
JAVASCRIPT = Language(name="javascript", module="tree_sitter_javascript", query=_JAVASCRIPT + _JS_FIELDS)
TYPESCRIPT = Language(
    name="typescript", module="tree_sitter_typescript", query=_TYPESCRIPT, function="language_typescript"
)
TSX = Language(name="tsx", module="tree_sitter_typescript", query=_TYPESCRIPT, function="language_tsx")
GO = Language(name="go", module="tree_sitter_go", query=_GO, parameters="names_first")
RUST = Language(name="rust", module="tree_sitter_rust", query=_RUST)
JAVA = Language(name="java", module="tree_sitter_java", query=_JAVA, parameters="type_first")
C = Language(name="c", module="tree_sitter_c", query=_C, parameters="type_first")
CPP = Language(name="cpp", module="tree_sitter_cpp", query=_CPP, parameters="type_first")
C_SHARP = Language(name="c_sharp", module="tree_sitter_c_sharp", query=_C_SHARP, parameters="type_first")
RUBY = Language(name="ruby", module="tree_sitter_ruby", query=_RUBY)
PHP = Language(
    name="php", module="tree_sitter_php", query=_PHP, function="language_php", parameters="type_first"
)
SWIFT = Language(name="swift", module="tree_sitter_swift", query=_SWIFT, parameters="label_first")
BASH = Language(name="bash", module="tree_sitter_bash", query=_BASH)

_BY_EXTENSION: Mapping[str, Language] = {
    **dict.fromkeys(("py", "pyi", "pyw"), PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), JAVASCRIPT),
    **dict.fromkeys(("ts", "mts", "cts"), TYPESCRIPT),
    **dict.fromkeys(("c",), C),
    **dict.fromkeys(("h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "ipp"), CPP),
    **dict.fromkeys(("rb", "rake", "gemspec"), RUBY),
    **dict.fromkeys(("sh", "bash", "zsh"), BASH),
    "tsx": TSX,
    "go": GO,
    "rs": RUST,
    "java": JAVA,
    "cs": C_SHARP,
    "php": PHP,
    "swift": SWIFT,
}


def language_of(path: str) -> Language | None:
    """The language whose parser reads this file, by its extension; None for the rest."""
    return _BY_EXTENSION.get(path.rsplit("/", 1)[-1].rpartition(".")[2].lower())


@cache
def grammar_of(language: Language) -> "tuple[Grammar, Query] | None":
    """The grammar and its compiled query; None where the grammar is not installed on this platform."""
    try:
        core = importlib.import_module("tree_sitter")
        module = importlib.import_module(language.module)
    except ImportError:
        return None
    grammar: Grammar = core.Language(getattr(module, language.function)())
    return grammar, core.Query(grammar, language.query)
