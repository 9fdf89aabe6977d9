"""Generated class libraries of any size, built as UVM is: packages of included headers, parameters, interface classes.

The classes are a tree: `class_0` has the children 1 to 3, `class_1` 4 to 6, and so on. Every third class has a type
parameter, its children extend one of its specialisations, and every fifth class implements an interface class.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CHILDREN = 3
PER_PACKAGE = 20
_INTERFACES = 4


@dataclass(frozen=True)
class GeneratedClasses:
    """The files by path, and what is between the classes."""

    texts: dict[str, str]
    parents: dict[str, tuple[str, ...]]
    """Classes that each class extends and implements."""
    homes: dict[str, str]
    """The file of each class."""

    def children(self, name: str) -> list[str]:
        """Classes that extend or implement a class, by name."""
        return sorted(child for child, parents in self.parents.items() if name in parents)

    def write(self, folder: Path) -> Path:
        """Write all files, and return the folder."""
        for name, text in self.texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder


def generated_classes(number: int) -> GeneratedClasses:
    """A library of so many classes, and four interface classes.

    Args:
        number: Number of classes.
    """
    parents: dict[str, tuple[str, ...]] = {f"shown_{index}": () for index in range(_INTERFACES)}
    texts = {"base/shown_pkg.sv": "package shown_pkg;\n" + _interfaces() + "endpackage\n"}
    homes = dict.fromkeys(parents, "base/shown_pkg.sv")
    for package in range(-(-number // PER_PACKAGE)):
        class_numbers = range(package * PER_PACKAGE, min((package + 1) * PER_PACKAGE, number))
        imports = "".join(f"  import lib_{earlier}_pkg::*;\n" for earlier in range(package))
        includes = "".join(f'  `include "class_{class_number}.svh"\n' for class_number in class_numbers)
        texts[f"lib_{package}/lib_{package}_pkg.sv"] = (
            f"package lib_{package}_pkg;\n  import shown_pkg::*;\n{imports}{includes}endpackage\n"
        )
        for class_number in class_numbers:
            name = f"class_{class_number}"
            homes[name] = f"lib_{package}/{name}.svh"
            texts[homes[name]], parents[name] = _class(class_number)
            if class_number and _has_alias(class_number):
                # As UVM does: a type with a short name stands for a specialisation, beside the class itself.
                texts[homes[f"class_{_parent(class_number)}"]] += (
                    f"typedef {_base(class_number)} base_of_{class_number};\n"
                )
    return GeneratedClasses(texts, parents, homes)


def _interfaces() -> str:
    return "".join(
        f"  interface class shown_{index}; pure virtual function void show_{index}(); endclass\n"
        for index in range(_INTERFACES)
    )


def _parent(number: int) -> int:
    return (number - 1) // CHILDREN


def _base(number: int) -> str:
    return f"class_{_parent(number)}" + (" #(byte)" if _parent(number) % 3 == 0 else "")


def _has_alias(number: int) -> bool:
    return number % 4 == 0


def _class(number: int) -> tuple[str, tuple[str, ...]]:
    parents: list[str] = []
    head = f"class class_{number}" + (" #(type T = int)" if number % 3 == 0 else "")
    body = f"  int field_{number};\n"
    if number:
        parents.append(f"class_{_parent(number)}")
        head += f" extends {f'base_of_{number}' if _has_alias(number) else _base(number)}"
    if number % 5 == 0:
        interface = number // 5 % _INTERFACES
        parents.append(f"shown_{interface}")
        head += f" implements shown_{interface}"
        body += f"  virtual function void show_{interface}(); endfunction\n"
    return f"{head};\n{body}endclass\n", tuple(parents)
