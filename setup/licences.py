"""Prints `docs/reference/licences.md`: the licence of every Python package that Benchwright installs.

Run as `.venv/bin/python setup/licences.py > docs/reference/licences.md`. Licences are what a package's own metadata
says, read from the environment that this runs in; a unit test compares the page and refuses what `is_acceptable` does.
"""

import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

_LOCK = Path(__file__).resolve().parent.parent / "requirements.lock"

_SPDX = {
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause": "BSD-3-Clause",
    # pypdfium2, and what pdfium is built with: FreeType, OpenJPEG and the like, all permissive.
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "BSD License": "BSD",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""The names that older metadata uses, as SPDX identifiers, or the family if no version is given."""

_ACCEPTED = re.compile(
    r"0BSD|Apache-2\.0( WITH LLVM-exception)?|BSD|BSD-[123]-Clause|BSL-1\.0|CC0-1\.0|CNRI-Python|HPND|ISC"
    r"|LGPL(-[\w.-]+)?|MIT|MIT-0|MIT-CMU|MPL-2\.0|NCSA|PSF-2\.0|Python-2\.0|Unlicense|Zlib|blessing"
)
"""Licences that an Apache-2.0 program may depend on. The LGPL's packages are imported, never copied into ours."""

_TITLES = {"Apache License": "Apache-2.0", "MIT License": "MIT"}
"""Titles that licences begin with."""


@dataclass(frozen=True)
class InstalledPackage:
    """A package of the lock that is installed here."""

    name: str
    version: str
    licence: str
    """An SPDX expression; empty if its metadata names none."""


def installed_packages() -> list[InstalledPackage]:
    """The packages of requirements.lock that this environment has; those for other systems are left out."""
    names = re.findall(r"^([A-Za-z0-9][\w.-]*)==", _LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    packages = []
    for name in names:
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        packages.append(InstalledPackage(name, package.version, licence_of(package)))
    return packages


def licence_of(package: Distribution) -> str:
    """The licence that a package's metadata names, as an SPDX expression."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classifiers = [value.split(" :: ")[-1] for value in metadata.get_all("Classifier") or () if "License ::" in value]
    licences = [_SPDX.get(name, name) for name in classifiers if name != "OSI Approved"]
    if licences:
        return " OR ".join(dict.fromkeys(licences))
    # Some put the whole text here, others only a file beside the metadata.
    if "License" in metadata and (line := metadata["License"].strip().split("\n")[0]):
        return _SPDX.get(line, line)
    for file in package.files or ():
        if file.name.startswith("LICENSE") and (title := file.read_text().strip().split("\n")[0].strip()):
            return _TITLES.get(title, title)
    return ""


def is_acceptable(licence: str) -> bool:
    """True if Benchwright may depend on what has this licence: one of a choice, and every one of a combination.

    In an expression with parentheses every licence has to be acceptable: a person decides about the rest.
    """
    if "(" in licence:
        return all(map(is_acceptable, re.split(r" AND | OR ", licence.replace("(", "").replace(")", ""))))
    return any(
        all(_ACCEPTED.fullmatch(part.strip()) for part in choice.split(" AND ")) for choice in licence.split(" OR ")
    )


def licences_page() -> str:
    """The reference page."""
    rows = [f"| {package.name} | {package.licence} |" for package in installed_packages()]
    return "\n".join([_ABOVE, *rows, _BELOW])


_ABOVE = """# Licences

Benchwright is licensed under Apache-2.0. These are the licences of the Python packages that `benchwright[all]` installs
on Linux, as each package's metadata names them; without extras it installs fewer. Versions are in `requirements.lock`,
and each release comes with a bill of materials in CycloneDX format. Nothing of them is copied into Benchwright's own
packages, except for the letters of the font Inter (OFL-1.1) in `benchwright_analysis/report/font`, with their licence
beside them. What the extension for VS Code includes is listed in its `third-party-notices.txt`.

This page is written by `.venv/bin/python setup/licences.py > docs/reference/licences.md`, and a test compares it and
refuses a licence that an Apache-2.0 program may not depend on.

| package | licence |
| --- | --- |"""

_BELOW = """
A toolchain is built on the user's machine from Debian's and PyPI's packages, which keep their licences: Icarus Verilog
is GPL-2.0-or-later, Verilator LGPL-3.0-only or Artistic-2.0, Yosys ISC, cocotb BSD-3-Clause. They are started as
programs and are in none of Benchwright's artefacts.
"""

if __name__ == "__main__":
    sys.stdout.write(licences_page())
