"""Checks types, and counts for each name how many unrelated ones it stands for.

    .venv/bin/python setup/names.py [--list | --update] [MYPY'S ARGUMENTS]

A variable that holds a match here, a path there and a verdict elsewhere is a pronoun, however it is spelled: its reader
has to know the whole function. Types are mypy's, and so are the errors that end it: `mypy` itself would only find the
same ones again.

`--list` prints the share of bindings whose name stands for more than `LIMIT` types, and these names; with MYPY'S
ARGUMENTS of another code base, its own. `--update` accepts the numbers of today.

Types are unrelated if they share no class but `object` and those that say nothing of a subject (`BaseModel`, `Enum`,
`Protocol`); collections count by what they hold, and those of one union are related. `setup/names.toml` has the names
that may stand for more than `LIMIT`, each with its number.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import folders
from mypy import build, errors, main, nodes, types

LIMIT = 8
"""Unrelated types that one name may stand for."""

ACCEPTED = folders.ROOT / "setup" / "names.toml"


class TypesError(Exception):
    """The types are wrong, so that they say nothing of names."""


Bindings = list[tuple[str, list[str]]]
"""Names that a module binds, each with the kinds of value that its type allows."""

_WITHOUT_SUBJECT = {
    "abc.ABC",
    "builtins.object",
    "builtins.tuple",
    "enum.Enum",
    "enum.Flag",
    "enum.IntEnum",
    "enum.ReprEnum",
    "enum.StrEnum",
    "pydantic.main.BaseModel",
    "typing.Generic",
    "typing.Hashable",
    "typing.NamedTuple",
    "typing.Protocol",
    "typing.Sized",
}
_COLLECTIONS = {"Iterable", "Iterator", "AsyncIterable", "AsyncIterator", "Generator", "AsyncGenerator", "Container"}
_NUMBERS = {"builtins.int", "builtins.float", "builtins.complex", "decimal.Decimal", "fractions.Fraction"}
_PLAIN = {"builtins.str", "builtins.bool", "builtins.bytes"}
_DEEPEST = 3
# Where a node of the tree leads to other definitions and not to its own parts.
_REFERENCES = {"node", "info", "type", "names", "definition", "analyzed", "original_def", "mro", "target", "setter"}


def kinds_of_type(value: types.Type | None, depth: int = 0) -> set[str]:
    """The kinds of value that a type allows; types of the same kind are related."""
    proper = types.get_proper_type(value)
    if depth > _DEEPEST:
        return {"…"}
    match proper:
        case None | types.AnyType() | types.NoneType() | types.UninhabitedType():
            return set()
        case types.UnionType():
            return set().union(*(kinds_of_type(item, depth) for item in proper.items))
        case types.TypeVarType():
            return kinds_of_type(proper.upper_bound, depth + 1)
        case types.LiteralType():
            return kinds_of_type(proper.fallback, depth)
        case types.TypedDictType():
            return {proper.fallback.type.name}
        case types.TupleType() if proper.partial_fallback.type.fullname == "builtins.tuple":
            return {
                "("
                + ", ".join(sorted({kind for item in proper.items for kind in kinds_of_type(item, depth + 1)}))
                + ")"
            }
        case types.TupleType():
            return kinds_of_type(proper.partial_fallback, depth)
        case types.Instance():
            return _kinds_of_instance(proper, depth)
        case types.CallableType() | types.Overloaded():
            return {"callable"}
        case types.TypeType():
            return {"type"}
        case _:
            return {type(proper).__name__}


def _kinds_of_instance(value: types.Instance, depth: int) -> set[str]:
    classes = [info.fullname for info in value.type.mro]
    if value.type.fullname in _NUMBERS:
        return {"number"}
    if value.type.fullname in _PLAIN:
        return {value.type.name}
    if value.args and any(name.rpartition(".")[2] in _COLLECTIONS for name in classes):
        # Of a mapping, what it leads to; of a generator, what it yields.
        held = value.args[-1] if "typing.Mapping" in classes else value.args[0]
        return {f"several {kind}" for kind in kinds_of_type(held, depth + 1)} or {"several"}
    if "builtins.BaseException" in classes:
        return {"error"}
    subjects = [name for name in classes if name not in _WITHOUT_SUBJECT]
    return {subjects[-1].rpartition(".")[2]} if subjects else {value.type.name}


def bindings(tree: nodes.MypyFile, inferred: dict[nodes.Expression, types.Type]) -> Bindings:
    """The variables, parameters and attributes that a module defines, without `self`, `cls` and `_`.

    The elements of a comprehension on one line are left out, and names of one letter.
    """
    parts = list(_parts(tree))
    of_one_line = {
        id(index)
        for part in parts
        if isinstance(part, (nodes.GeneratorExpr, nodes.DictionaryComprehension)) and part.line == part.end_line
        for target in part.indices
        for index in _parts(target)
    }
    return [
        (name, sorted(kinds_of_type(value)))
        for part in parts
        if id(part) not in of_one_line
        for name, value in _defined_names(part, inferred)
        if name not in {"self", "cls"} and len(name.strip("_")) > 1 and not name.startswith("__")
    ]


def _defined_names(
    part: nodes.Node, inferred: dict[nodes.Expression, types.Type]
) -> Iterator[tuple[str, types.Type | None]]:
    match part:
        case nodes.NameExpr() if part.is_new_def or part.is_inferred_def:
            variable = part.node
            value = variable.type if isinstance(variable, nodes.Var) else None
            yield part.name.rstrip("'"), value or inferred.get(part)
        case nodes.MemberExpr() if part.is_new_def or part.is_inferred_def:
            yield part.name, part.def_var.type if part.def_var else inferred.get(part)
        case nodes.LambdaExpr():
            signature = types.get_proper_type(inferred.get(part))
            if isinstance(signature, types.CallableType):
                for name, value in zip(signature.arg_names, signature.arg_types, strict=True):
                    if name:
                        yield name, value
        case nodes.FuncDef():
            for argument in part.arguments:
                yield argument.variable.name, argument.variable.type


def _parts(root: nodes.Node) -> Iterator[nodes.Node]:
    """A node and all that is in it; mypy's own visitors can't be extended by what is not compiled."""
    seen: set[int] = set()
    attributes: dict[type[nodes.Node], list[str]] = {}
    waiting: list[object] = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (list, tuple)):
            waiting.extend(part)
        elif isinstance(part, nodes.Node) and not isinstance(part, nodes.TypeInfo) and id(part) not in seen:
            seen.add(id(part))
            yield part
            kind = type(part)
            if kind not in attributes:
                attributes[kind] = _child_attribute_names(kind)
            waiting.extend(getattr(part, name, None) for name in attributes[kind])


def _child_attribute_names(node_type: type) -> list[str]:
    names = {name for base in node_type.__mro__ for name in getattr(base, "__mypyc_attrs__", ())}
    return sorted(names - _REFERENCES - {"__dict__"})


def infer_bindings_by_module(mypy_arguments: list[str]) -> dict[str, Bindings]:
    """Has mypy infer the types; returns the bindings of our modules.

    Args:
        mypy_arguments: Arguments for mypy besides its configuration.

    Raises:
        TypesError: mypy finds an error.
    """
    # Checkouts on one machine share what mypy knows of installed packages: it compares contents, not places.
    sources, options = main.process_options(["--cache-dir", str(folders.cache() / "mypy"), *mypy_arguments])
    options.export_types = True
    options.preserve_asts = True
    # Trees are kept nevertheless, but of installed packages without the functions' bodies, which take most of the time.
    options.per_module_options["*.*"] = {"preserve_asts": False}
    # A module that comes as text is never taken from the cache, which has no trees; what it imports is.
    for source in sources:
        source.text = Path(source.path or "").read_text(encoding="utf-8")
    try:
        result = build.build(sources, options)
    except errors.CompileError as error:
        raise TypesError("\n".join(error.messages)) from error
    if result.errors:
        raise TypesError("\n".join(result.errors))
    trees = {source.module: result.graph[source.module].tree for source in sources}
    return {module: bindings(tree, result.types) for module, tree in trees.items() if tree is not None}


def unrelated_counts(modules: dict[str, Bindings]) -> dict[str, int]:
    """The number of unrelated kinds of value that each name stands for; those of one union are related."""
    groups: defaultdict[str, list[set[str]]] = defaultdict(list)
    for module in modules.values():
        for name, allowed in module:
            joined = set(allowed)
            apart = []
            for group in groups[name]:
                if group & joined:
                    joined |= group
                else:
                    apart.append(group)
            groups[name] = [*apart, joined] if joined else apart
    return {name: len(kinds_of_name) for name, kinds_of_name in groups.items()}


def refusal_sentences(numbers: dict[str, int], accepted: dict[str, int]) -> list[str]:
    """A sentence for each name that stands for more types than it may."""
    return [
        f"{name} stands for {number} unrelated types ({accepted.get(name, LIMIT)} are accepted). "
        "Next step: say what it holds, by a noun; see Words in docs/architecture.md"
        for name, number in sorted(numbers.items())
        if number > accepted.get(name, LIMIT)
    ]


def listing_lines(modules: dict[str, Bindings], numbers: dict[str, int]) -> Iterator[str]:
    """The share of bindings whose name stands for more types than `LIMIT`, and these names, most types first."""
    counts = Counter(name for module in modules.values() for name, _ in module)
    many = {name: number for name, number in numbers.items() if number > LIMIT}
    share = sum(counts[name] for name in many) / counts.total()
    yield f"{counts.total()} bindings of {len(counts)} names; {share:.1%} have one of {len(many)} names for many types"
    for name in sorted(many, key=lambda name: (-many[name], name)):
        yield f"{many[name]:4} types {counts[name]:5} bindings  {name}"


def check_names(arguments: list[str]) -> int:
    """Checks; returns the exit status."""
    options = {"--list", "--update"} & set(arguments)
    try:
        modules = infer_bindings_by_module([argument for argument in arguments if argument not in options])
    except TypesError as error:
        print(error)
        return 1
    numbers = unrelated_counts(modules)
    if "--list" in options:
        print(*listing_lines(modules, numbers), sep="\n")
        return 0
    if "--update" in options:
        many = sorted((name, number) for name, number in numbers.items() if number > LIMIT)
        ACCEPTED.write_text("".join([_HEADER, *(f"{name} = {number}\n" for name, number in many)]), encoding="utf-8")
        return 0
    refused = refusal_sentences(numbers, tomllib.loads(ACCEPTED.read_text(encoding="utf-8")))
    print(*refused, sep="\n", end="\n" if refused else "")
    return 1 if refused else 0


_HEADER = """\
# Names that may stand for more than eight unrelated types, each with how many it stands for; `setup/names.py` refuses
# more. Lower a number when you have given some of them a better name.
"""

if __name__ == "__main__":
    sys.exit(check_names(sys.argv[1:]))
