"""The command `./run`: set up what is missing, then open Benchwright in an editor."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection

import browser_editor
import editor
import folders
import installation
import packages
import token_table
from progress import SetupError, SetupStep, clear_line, heed_stop_signals
from schedule import run_steps

_DESKTOP_EDITORS = ("code", "codium", "code-insiders", "cursor")
_INTERRUPTED = 130


def main() -> int:
    """Does what the options say; returns the exit status."""
    options = _options()
    heed_stop_signals()
    try:
        return _run_on_desktop(options) if options.desktop else _run_in_browser(options)
    except SetupError as error:
        clear_line()
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        clear_line()
        print("\nStopped. Run ./run again to continue.")
        return _INTERRUPTED


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run",
        description="Sets up what is missing, then opens Benchwright in an editor. Without options: in the browser.",
        epilog="Problems open into ~/benchwright-workspaces. Environment variables: BENCHWRIGHT_HOME, a folder for "
        "everything that is yours (packs, attempts, workspaces, editor settings); BENCHWRIGHT_CACHE, a folder for what "
        "can be fetched again (about 2 GB). BENCHWRIGHT_DEBIAN_MIRROR, an "
        "address of a Debian mirror, where apt here is not configured with one.",
        allow_abbrev=False,
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--desktop", action="store_true", help="install the extension into the VS Code of this desktop, and start it"
    )
    way.add_argument("--setup", action="store_true", help="only set up, start nothing")
    parser.add_argument(
        "--port",
        type=_parse_port,
        metavar="NUMBER",
        help=f"the port of the editor in the browser (default: {editor.DEFAULT_PORT}, or the next free one); "
        "it listens on this machine only, but to every account of it",
    )
    parser.add_argument(
        "--no-system",
        dest="system",
        action="store_false",
        help="install nothing on the system, only in your own folders; what is missing is named",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address, do not open the browser")
    return parser.parse_args()


def _parse_port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port: give a number from 1 to 65535")
    return int(text)


def _run_in_browser(options: argparse.Namespace) -> int:
    editor.refuse_foreign_workspaces_folder()
    system = [*packages.needed_always(), *packages.needed_for_the_browser_editor()]
    packages.announce(system, may_install=options.system)
    steps = [
        packages.package_step(system, may_install=options.system),
        *_always_fetched_steps(),
        browser_editor.code_server_step(),
        installation.extension(),
        browser_editor.extension_in_code_server_step(editor.editor_folder()),
    ]
    if options.setup:
        _set_up(steps)
        print("\nEverything is set up. Next: ./run")
        return 0
    tools = installation.toolchain().title
    cache = installation.build_cache().title

    def use() -> None:
        if not installation.toolchain().ready():
            print(f"\n{tools}: still being installed. The editor works meanwhile; runs wait for them.", flush=True)
        editor.serve_editor(options.port, browser=not options.no_browser)

    _set_up(steps, later_titles={tools, cache}, start_using=use)
    return 0


def _run_on_desktop(options: argparse.Namespace) -> int:
    program = next(filter(None, map(shutil.which, _DESKTOP_EDITORS)), None)
    if program is None:
        raise SetupError(
            f"No desktop VS Code is on the PATH (looked for {', '.join(_DESKTOP_EDITORS)}).\n"
            "Next step: start ./run without --desktop to use the editor in the browser, or install VS Code first."
        )
    packages.announce(packages.needed_always(), may_install=options.system)
    steps = [
        packages.package_step(packages.needed_always(), may_install=options.system),
        *_always_fetched_steps(),
        installation.extension(),
        installation.extension_in_desktop(program),
    ]
    _set_up(steps)
    start = [program, *installation.PROPOSED_API]
    print(f"\nThe extension is installed. Starting {shlex.join(start)}")
    print(
        "If the editor is already open, close all its windows and start it again with these options: only then does "
        "Benchwright see where each edit comes from. Everything else works without them."
    )
    try:
        return subprocess.run(start, check=False).returncode
    except OSError as error:
        raise SetupError(
            f"{program} does not start: {error.strerror}.\nNext step: start your VS Code yourself."
        ) from error


def _always_fetched_steps() -> list[SetupStep]:
    return [
        installation.python_environment(),
        installation.node(),
        installation.python_packages(),
        installation.command_line(),
        installation.toolchain(),
        installation.build_cache(),
        installation.npm_packages(),
        token_table.token_table_step(),
    ]


def _set_up(
    steps: list[SetupStep], *, later_titles: Collection[str] = (), start_using: Callable[[], None] | None = None
) -> None:
    old_mask = os.umask(0o022)

    def look_and_use() -> None:
        os.umask(old_mask)
        _show_sandbox_problem()
        if start_using is not None:
            start_using()

    try:
        locks = [folders.SETUP_STATE / "lock", folders.cache() / "setup.lock"]
        run_steps(
            steps, locks, later_titles=later_titles, start_using=look_and_use if start_using is not None else None
        )
    finally:
        os.umask(old_mask)
    if start_using is None:
        _show_sandbox_problem()


def _show_sandbox_problem() -> None:
    if problem := packages.sandbox_problem():
        print(f"\n{problem}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
