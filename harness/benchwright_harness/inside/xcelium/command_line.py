"""The options of `xrun`."""

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = (".v", ".sv", ".vp", ".svp", ".vh", ".svh", ".vams", ".pkg")

# Options whose meaning is the default here, or that tell a licensed tool how to do what needs no telling.
_FLAGS = frozenset(
    {
        "-64bit",
        "-64",
        "-batch",
        "-clean",
        "-covoverwrite",
        "-date",
        "-disable_sem2009",
        "-exit",
        "-gverbose",
        "-ieee1364",
        "-licqueue",
        "-linedebug",
        "-messages",
        "-nocopyright",
        "-nospecify",
        "-notimingchecks",
        "-NEW_VHPI_PROPAGATE_DELAY",
        "-no_tchk_msg",
        "-pliverbose",
        "-plidebug",
        "-plierr_verbose",
        "-plinowarn",
        "-quiet",
        "-relax",
        "-status",
        "-sv",
        "-sysv",
        "-smartorder",
        "-update",
        "-v200x",
        "-v93",
        "-abvcoveron",
        "-abvon",
        "-assert",
        "-allowredefinition",
        "-nowarn_dup",
        "-primtop",
        "-sem2009",
    }
)
_IGNORED_WITH_VALUE = frozenset(
    {
        "-access",
        "-cds_implicit_tmpdir",
        "-covfile",
        "-covdut",
        "-default_ext",
        "-delay_mode",
        "-errormax",
        "-gpiextra",
        "-input",
        "-licqueue_timeout",
        "-nowarn",
        "-snapshot",
        "-name",
        "-timeformat",
        "-vpicompat",
        "-warnmax",
        "-work",
        "-xmerror",
        "-xmfatal",
        "-xmnote",
        "-abvrecordcoverall",
    }
)
_PLUS_IGNORED = ("+access", "+notimingchecks", "+nospecify", "+delay_mode", "+nowarn", "+no_notifier")


class UnknownOptionError(Exception):
    """An option that this `xrun` does not know."""

    is_harness = True
    """True if the harness gives it, and not a list of options that a design could have brought."""


@dataclass
class Options:
    """Options of one call of `xrun`."""

    sources: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    include_folders: list[str] = field(default_factory=list)
    library: list[str] = field(default_factory=list)
    """Verilator's own options for library files and folders."""
    tops: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    """`NAME=VALUE` of the top's."""
    plusargs: list[str] = field(default_factory=list)
    timescale: str | None = None
    override_timescale: bool = False
    coverage: bool = False
    work_folder: str = "cov_work"
    scope: str = "scope"
    test: str = "test"
    seed: str | None = None
    log: str = "xrun.log"
    library_folder: str = "xcelium.d"
    elaborate_only: bool = False
    run_only: bool = False
    vpi: str | None = None
    """The library of cocotb that the simulation is to load."""


def parse_xrun_arguments(argument_words: list[str]) -> Options:
    """Read a command line.

    Args:
        argument_words: Without the program's name. One word may hold several, as cocotb's runner writes them.

    Raises:
        UnknownOptionError: Names the option.
    """
    options = Options()
    lists: list[Path] = []
    try:
        _read_arguments(_unpacked_words(argument_words), options, lists)
    except UnknownOptionError as error:
        error.is_harness = not any(file.resolve().is_relative_to("/code") for file in lists)
        raise
    return options


def _read_arguments(pending_words: list[str], options: Options, read_list_files: list[Path]) -> None:
    while pending_words:
        word = pending_words.pop(0)
        if word.startswith("+"):
            _read_plus_option(word, options)
        elif not word.startswith("-"):
            if not word.endswith(SOURCES):
                raise UnknownOptionError(f"{word}: is not a Verilog source ({', '.join(SOURCES[:2])})")
            options.sources.append(word)
        elif word in ("-f", "-F"):
            file = Path(_pop_value(word, pending_words))
            read_list_files.append(file)
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UnknownOptionError(f"{word} {file}: can't be read: {error}") from error
            pending_words[:0] = shlex.split(text, comments=True)
        else:
            _read_dash_option(word, pending_words, options)


def _unpacked_words(packed_words: list[str]) -> list[str]:
    split: list[str] = []
    for word in packed_words:
        stripped = word.strip()
        # Only options are packed together; a plusarg or a path may hold a space of its own.
        split += shlex.split(stripped) if stripped.startswith("-") and " " in stripped else [stripped]
    return [word for word in split if word]


def _pop_value(option_word: str, pending_words: list[str]) -> str:
    if not pending_words:
        raise UnknownOptionError(f"{option_word}: needs a value")
    return pending_words.pop(0)


def _read_plus_option(option_word: str, options: Options) -> None:
    name, _, rest = option_word[1:].partition("+")
    if name == "define":
        options.defines += rest.split("+")
    elif name == "incdir":
        options.include_folders += rest.split("+")
    elif name == "libext":
        options.library.append(option_word)
    elif not option_word.startswith(_PLUS_IGNORED):
        options.plusargs.append(option_word)


def _read_dash_option(option_word: str, pending_words: list[str], options: Options) -> None:
    lists = {"-define": options.defines, "-d": options.defines, "-incdir": options.include_folders}
    texts = {
        "-timescale": "timescale",
        "-covworkdir": "work_folder",
        "-covscope": "scope",
        "-covtest": "test",
        "-seed": "seed",
        "-svseed": "seed",
        "-l": "log",
        "-logfile": "log",
        "-xmlibdirname": "library_folder",
        "-xmlibdirpath": "library_folder",
        "-nclibdirname": "library_folder",
    }
    if option_word in lists:
        lists[option_word].append(_pop_value(option_word, pending_words))
    elif option_word in texts:
        setattr(options, texts[option_word], _pop_value(option_word, pending_words))
    elif option_word in ("-top", "-xmtop"):
        options.tops.append(_pop_value(option_word, pending_words).rpartition(".")[2])
    elif option_word == "-coverage":
        _pop_value(option_word, pending_words)
        options.coverage = True
    elif option_word == "-gpg":
        name, _, value = _pop_value(option_word, pending_words).partition("=>")
        options.parameters.append(f"{name.strip().rpartition('.')[2]}={value.strip()}")
    elif option_word in ("-defparam", "-pvalue"):
        options.parameters.append(_pop_value(option_word, pending_words).rpartition(".")[2])
    elif option_word in ("-v", "-y"):
        options.library += [option_word, _pop_value(option_word, pending_words)]
    elif option_word == "-override_timescale":
        options.override_timescale = True
    elif option_word == "-loadvpi":
        options.vpi = _pop_value(option_word, pending_words).partition(":")[0]
    elif option_word in ("-elaborate", "-c"):
        options.elaborate_only = True
    elif option_word == "-R":
        options.run_only = True
    elif option_word.startswith("-D") and len(option_word) > 2:
        options.defines.append(option_word[2:])
    elif option_word.startswith("-I") and len(option_word) > 2:
        options.include_folders.append(option_word[2:])
    elif option_word in _IGNORED_WITH_VALUE:
        _pop_value(option_word, pending_words)
    elif option_word not in _FLAGS:
        raise UnknownOptionError(f"{option_word}: this open-source xrun does not know the option")


def fixed_seed(asked_seed: str | None) -> int:
    """The seed of a run: `random` is fixed too, so that a verdict repeats."""
    if asked_seed is not None and asked_seed.lstrip("-").isdigit():
        chosen = int(asked_seed)
    else:
        given = os.environ.get("COCOTB_RANDOM_SEED") or os.environ.get("RANDOM_SEED") or "1"
        chosen = int(given) if given.lstrip("-").isdigit() else 1
    # Verilator takes 31 bits, and none for zero.
    return chosen % 0x7FFFFFFE + 1 if chosen <= 0 or chosen > 0x7FFFFFFE else chosen
