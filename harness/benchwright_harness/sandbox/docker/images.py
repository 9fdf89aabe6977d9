"""Image that a job runs in, and its way into the engine."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.plan.image_names import is_replaced_by_toolchain
from benchwright_harness.plan.plan import ImageBuild
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.folder_lock import exclusively_locked

if TYPE_CHECKING:
    from docker import APIClient

PULL = "BENCHWRIGHT_DOCKER_PULL"
"""Variable that, set to 1, allows images to be fetched from a registry."""

_BUILD_MEMORY = 4 << 30
_BUILD_S = 600
_PIP_INSTALL = re.compile(
    r"^[ \t]*RUN[ \t]+(?:python3?[ \t]+-m[ \t]+)?pip3?[ \t]+install[^&|;\\\n]*$", re.MULTILINE | re.IGNORECASE
)
_LINES = 200


class Image(NamedTuple):
    """An image in the engine."""

    id: str
    has_toolchain: bool
    """True if our tree is in it, and so the Python of our supervisor."""


def toolchain_image_name(toolchain: Toolchain) -> str:
    """Name of the image of a toolchain."""
    return f"benchwright/toolchain:{toolchain.digest[:12]}"


class Images:
    """Finds, imports and builds images. Its methods block, an import for up to a minute.

    Args:
        api: A client with a time limit that leaves room for that.
        environ: Holds `PULL`.
    """

    def __init__(self, api: APIClient, environ: Mapping[str, str]) -> None:
        self._engine = api
        self._may_pull = environ.get(PULL) == "1"

    def provide_image(self, image_name: str, build: ImageBuild | None, toolchain: Toolchain) -> Image:
        """The image for a service; made first, where that must be.

        Args:
            image_name: Its name, or that of the image that it builds on.
            build: Build of the image, if it is built.
            toolchain: Toolchain that images of ours hold.

        Raises:
            SandboxUnavailableError: The image is missing, or it can't be built.
        """
        is_ours = is_replaced_by_toolchain(image_name)
        image_id = (
            self._base_image_id(image_name, toolchain)
            if build is None
            else self._built_image_id(build, toolchain, is_ours)
        )
        return Image(image_id, is_ours)

    def found_or_imported_toolchain_image_id(self, toolchain: Toolchain) -> str:
        """The id of the image that holds a toolchain's tree."""
        name = toolchain_image_name(toolchain)
        # Of several processes that need it at once, one brings it.
        with exclusively_locked(toolchain.root):
            return self._find_image_id(name) or self._import_toolchain(name, toolchain)

    def _import_toolchain(self, image_name: str, toolchain: Toolchain) -> str:
        repository, _, tag = image_name.partition(":")
        # Without /tmp: what is mounted over a folder of the image gets that folder's mode.
        tar_options = ["--numeric-owner", "--owner=0", "--group=0", "--exclude=./tmp", "-C", str(toolchain.root), "."]
        command = ["tar", "-c", *tar_options]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:
            answer = self._engine.import_image_from_stream(tar.stdout, repository=repository, tag=tag)
        image_id = self._find_image_id(image_name)
        if tar.returncode or not image_id:
            raise SandboxUnavailableError(
                f"the Docker engine does not take the toolchain as an image: {answer.strip().splitlines()[-1:]}",
                "check the engine's log and its free disk space",
            )
        return image_id

    def missing_image_names(self, image_names: Iterable[str]) -> list[str]:
        """The names of images that the engine lacks."""
        return [name for name in image_names if self._find_image_id(name) is None]

    def _find_image_id(self, image_name: str) -> str | None:
        from docker.errors import ImageNotFound

        try:
            return str(self._engine.inspect_image(image_name)["Id"])
        except ImageNotFound:
            return None

    def _found_or_pulled_image_id(self, image_name: str) -> str:
        image_id = self._find_image_id(image_name)
        if image_id is None and self._may_pull:
            repository, tag = (
                (image_name, None)
                if "@" in image_name or ":" in image_name.rpartition("/")[2]
                else (image_name, "latest")
            )
            self._engine.pull(repository, tag)
            image_id = self._find_image_id(image_name)
        if image_id is None:
            raise MissingImageError(image_name)
        return image_id

    def _built_image_id(self, build: ImageBuild, toolchain: Toolchain, has_toolchain: bool) -> str:
        dockerfile = _with_bases_by_id(build.files[build.dockerfile], lambda name: self._base_image_id(name, toolchain))
        if has_toolchain:
            # The toolchain has its Python packages, pinned, and takes no others in any sandbox.
            dockerfile = _PIP_INSTALL.sub("", dockerfile)
        # One that only names its base needs no build.
        if only := re.fullmatch(r"\s*FROM (sha256:\w+)\s*", dockerfile):
            return only[1]
        files = build.files | {build.dockerfile: dockerfile}
        fingerprint = json.dumps([build.dockerfile, files, build.args], sort_keys=True)
        name = f"benchwright/built:{hashlib.sha256(fingerprint.encode()).hexdigest()[:24]}"
        with exclusively_locked(toolchain.root):
            return self._find_image_id(name) or self._build_image(name, build, files)

    def _base_image_id(self, base_image_name: str, toolchain: Toolchain) -> str:
        return (
            self.found_or_imported_toolchain_image_id(toolchain)
            if is_replaced_by_toolchain(base_image_name)
            else self._found_or_pulled_image_id(base_image_name)
        )

    def _build_image(self, image_name: str, build: ImageBuild, text_by_path: Mapping[str, str]) -> str:
        build_lines: list[str] = []
        deadline = time.monotonic() + _BUILD_S
        for line in self._engine.build(
            fileobj=_build_context(text_by_path),
            custom_context=True,
            dockerfile=build.dockerfile,
            tag=image_name,
            buildargs=build.args,
            network_mode="none",
            rm=True,
            forcerm=True,
            decode=True,
            container_limits={"memory": _BUILD_MEMORY, "memswap": _BUILD_MEMORY},
        ):
            build_lines.append(str(line.get("error") or line.get("stream") or ""))
            if "error" in line or time.monotonic() > deadline:
                raise BuildFailedError("".join(build_lines[-_LINES:]))
        image_id = self._find_image_id(image_name)
        if image_id is None:
            raise BuildFailedError("".join(build_lines[-_LINES:]))
        return image_id


class ImageUnavailableError(SandboxUnavailableError):
    """There is no image for a job."""

    private = ""
    """Reason, in words that may reveal something hidden; for the raw log."""


class MissingImageError(ImageUnavailableError):
    """The engine lacks an image."""

    def __init__(self, image_name: str) -> None:
        self.private = f"there is no image {image_name!r} in the engine"
        super().__init__(
            "the Docker engine lacks an image that this problem asks for",
            f"the run's log names it: pull or build it there, or set {PULL}=1 to have images fetched",
        )


class BuildFailedError(ImageUnavailableError):
    """A Dockerfile of a harness could not be built."""

    def __init__(self, hidden_reason: str) -> None:
        self.private = hidden_reason
        super().__init__(
            "an image that this problem brings can't be built",
            "the run's log says why; builds have no network: an instruction that downloads something can't work",
        )


def _with_bases_by_id(dockerfile: str, image_id_of: Callable[[str], str]) -> str:
    """A Dockerfile with its bases named by id, for the engine would fetch others unasked.

    Args:
        dockerfile: Text of a stranger.
        image_id_of: Gives the id of a base.

    Raises:
        BuildFailedError: The Dockerfile would have the engine read from the network.
    """
    if re.match(r"\s*#\s*(syntax|escape)\s*=", dockerfile, re.IGNORECASE):
        raise BuildFailedError("the Dockerfile must be in plain syntax")
    logical = re.sub(r"\\[ \t]*\n", "", dockerfile)
    if re.search(r"^\s*(ADD\s.*(\w://|git@)|ONBUILD\s)", logical, re.MULTILINE | re.IGNORECASE):
        raise BuildFailedError("the Dockerfile may not ADD from the network, nor use ONBUILD")
    froms = re.compile(r"^\s*FROM\s+((?:--\S+\s+)*)(\S+)(?:\s+AS\s+(\S+))?\s*$", re.MULTILINE | re.IGNORECASE)
    if len(froms.findall(dockerfile)) != len(re.findall(r"^\s*FROM\b", logical, re.MULTILINE | re.IGNORECASE)):
        raise BuildFailedError("each FROM of the Dockerfile must be one plain line")
    stages = {"scratch"}

    def resolve(match: re.Match[str]) -> str:
        options, base_name, stage = match.groups()
        base_id = base_name if base_name.lower() in stages else image_id_of(base_name)
        stages.add((stage or "").lower())
        return f"FROM {options}{base_id}" + (f" AS {stage}" if stage else "")

    resolved = froms.sub(resolve, dockerfile)
    for origin in re.findall(r"--from=(\S+)", logical):
        if origin.lower() not in stages and not origin.isdigit():
            image_id_of(origin)
    return resolved


def _build_context(text_by_path: Mapping[str, str]) -> io.BytesIO:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, text in sorted(text_by_path.items()):
            content = text.encode()
            tar_entry = tarfile.TarInfo(path)
            tar_entry.size, tar_entry.mode = len(content), 0o755
            tar.addfile(tar_entry, io.BytesIO(content))
    packed.seek(0)
    return packed
