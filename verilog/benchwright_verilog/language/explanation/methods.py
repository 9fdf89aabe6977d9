"""Methods that the language itself gives to its types (IEEE 1800-2023, 6.16, 6.19.5, 7.9 to 7.12, 18.6, 19.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyslang.ast import Type


@dataclass(frozen=True)
class BuiltinMethod:
    """A built-in method."""

    name: str
    parameters: tuple[str, ...]
    result_type: str
    description: str


def _parse_method_table(table_text: str) -> tuple[BuiltinMethod, ...]:
    methods = []
    for line in table_text.strip().splitlines():
        name, parameters, result, description = (part.strip() for part in line.split("|"))
        methods.append(
            BuiltinMethod(
                name, tuple(part.strip() for part in parameters.split(",") if part.strip()), result, description
            )
        )
    return tuple(methods)


_STRING = _parse_method_table("""
len | | int | The number of characters.
putc | index, character | void | Replaces a character.
getc | index | byte | A character.
toupper | | string | In upper case.
tolower | | string | In lower case.
compare | other | int | 0 if equal, negative or positive by the order of the characters otherwise.
icompare | other | int | Like compare, ignoring case.
substr | first, last | string | The characters from one index to another, both included.
atoi | | integer | The decimal number that it begins with.
atohex | | integer | The hexadecimal number that it begins with.
atooct | | integer | The octal number that it begins with.
atobin | | integer | The binary number that it begins with.
atoreal | | real | The real number that it begins with.
itoa | number | void | Becomes a number in decimal.
hextoa | number | void | Becomes a number in hexadecimal.
octtoa | number | void | Becomes a number in octal.
bintoa | number | void | Becomes a number in binary.
realtoa | number | void | Becomes a real number.
""")
_ENUM = _parse_method_table("""
first | | value | The first value.
last | | value | The last value.
next | [count] | value | The value after it, from the beginning again after the last.
prev | [count] | value | The value before it.
num | | int | How many values there are.
name | | string | The name of the value; empty if it has none.
""")
_ARRAY = _parse_method_table("""
size | | int | The number of elements.
sum | | element | All elements added up; a `with` clause says what of each.
product | | element | All elements multiplied.
and | | element | The bitwise and of all elements.
or | | element | The bitwise or of all elements.
xor | | element | The bitwise exclusive or of all elements.
find | | queue | The elements for which the `with` clause holds.
find_index | | queue | Their indices.
find_first | | queue | The first element for which the `with` clause holds.
find_first_index | | queue | Its index.
find_last | | queue | The last element for which the `with` clause holds.
find_last_index | | queue | Its index.
min | | queue | The smallest element.
max | | queue | The greatest element.
unique | | queue | Each value once.
unique_index | | queue | The indices of those.
reverse | | void | Turns the order round.
sort | | void | Orders by value, or by the `with` clause.
rsort | | void | Orders by value, the greatest first.
shuffle | | void | A random order.
map | | array | An array of what the `with` clause makes of each element.
""")
_DYNAMIC = _parse_method_table("""
delete | | void | Removes all elements.
""")
_QUEUE = _parse_method_table("""
push_back | item | void | Adds an element at the end.
push_front | item | void | Adds an element at the beginning.
pop_back | | element | Takes the last element out.
pop_front | | element | Takes the first element out.
insert | index, item | void | Puts an element before an index.
delete | [index] | void | Removes an element, or all.
""")
_ASSOCIATIVE = _parse_method_table("""
num | | int | The number of elements.
exists | index | int | Whether there is an element at an index.
delete | [index] | void | Removes an element, or all.
first | index | int | Puts the first index into its argument; 0 if there is none.
last | index | int | Puts the last index into its argument; 0 if there is none.
next | index | int | Puts the following index into its argument; 0 if there is none.
prev | index | int | Puts the index before into its argument; 0 if there is none.
""")
_CLASS = _parse_method_table("""
randomize | | int | Gives the random variables new values within the constraints; 0 if there are none.
rand_mode | [on] | int | Whether variables are random; with an argument, sets that.
constraint_mode | [on] | int | Whether constraints hold; with an argument, sets that.
""")
_COVERGROUP = _parse_method_table("""
sample | | void | Samples the coverage points.
get_coverage | | real | The coverage of all instances, in percent.
get_inst_coverage | | real | The coverage of this instance, in percent.
set_inst_name | name | void | Names the instance in reports.
start | | void | Begins to collect coverage.
stop | | void | Stops collecting coverage.
""")
_EVENT = _parse_method_table("""
triggered | | bit | Whether it was triggered in this time step.
""")


def builtin_methods_of(type_: Type) -> tuple[BuiltinMethod, ...]:
    """The built-in methods of a type."""
    canonical = type_.canonicalType
    if canonical.isString:
        return _STRING
    if canonical.isEnum:
        return _ENUM
    if canonical.isClass:
        return _CLASS
    if canonical.isCovergroup:
        return _COVERGROUP
    if canonical.isEvent:
        return _EVENT
    if canonical.isQueue:
        return _QUEUE + _ARRAY
    if canonical.isAssociativeArray:
        return _ASSOCIATIVE + _ARRAY
    if canonical.isUnpackedArray:
        return (_DYNAMIC + _ARRAY) if canonical.isDynamicallySizedArray else _ARRAY
    return ()
