"""What a harness runs: the services of a `docker-compose.yml`, as steps.

CVDP runs `docker compose run SERVICE` for every service in order, in `/code/rundir`, with the
solver's folders below `/code`; a run passes when every service exits 0. Volumes that name
`/code` are dropped there, and here.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping
from io import StringIO
from typing import Any

import yaml
from dotenv import dotenv_values

from benchwright_harness.errors import BadHarnessError
from benchwright_harness.verdict import Model

WORKDIR = "/code/rundir"

_TEMPLATES = {
    "__OSS_SIM_IMAGE__": "oss-sim",
    "__OSS_PNR_IMAGE__": "oss-pnr",
    "__VERIF_EDA_IMAGE__": "verif-eda",
    "__LICENSE_NETWORK__": "licnetwork",
}
_SYSTEM_FOLDERS = frozenset(
    {
        *("bin", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc"),
        *("root", "run", "rundir", "sbin", "sys", "tmp", "usr", "var"),
    }
)
_MAX_FILES = 400
_TOOL_WORDS = ("iverilog", "verilator", "yosys", "xrun", "imc")
_SIMULATOR_TOOLS = {"icarus": "iverilog", "verilator": "verilator", "xcelium": "xrun"}
_COMPOSE = "docker-compose.yml"


class Step(Model):
    """One service."""

    service: str
    image: str
    """Image name after template variables; of the Dockerfile's base where the service is built."""
    argv: tuple[str, ...]
    env: dict[str, str]
    files: dict[str, str]
    """Absolute path inside the sandbox → text; mounted read-only."""


class Plan(Model):
    """All steps of a harness, in order."""

    steps: tuple[Step, ...]
    tools: frozenset[str]
    """Programs the harness calls, of those whose absence is worth telling apart."""


def make_plan(harness: Mapping[str, str]) -> Plan:
    """Read a harness's files.

    Args:
        harness: Relative path → text; must hold `docker-compose.yml`.

    Raises:
        BadHarnessError: Names the file and field that can't be understood.
    """
    text = harness.get(_COMPOSE)
    if text is None:
        raise BadHarnessError(f"{_COMPOSE}: the harness has none")
    try:
        compose = yaml.safe_load(_expand(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadHarnessError(f"{_COMPOSE}: is not YAML: {error}") from error
    services = compose.get("services") if isinstance(compose, dict) else None
    if not isinstance(services, dict) or not services:
        raise BadHarnessError(f"{_COMPOSE}: services: must name at least one service")
    steps = tuple(_step(str(name), service, harness) for name, service in services.items())
    return Plan(steps=steps, tools=frozenset().union(*(_tools(step) for step in steps)))


def _step(name: str, service: Any, harness: Mapping[str, str]) -> Step:
    if not isinstance(service, dict):
        raise BadHarnessError(f"{_COMPOSE}: services.{name}: must be a mapping")
    field = f"{_COMPOSE}: services.{name}"
    env: dict[str, str] = {}
    for entry in _list(service.get("env_file"), f"{field}.env_file"):
        file = posixpath.normpath(entry)
        if file not in harness:
            raise BadHarnessError(f"{field}.env_file: the harness has no file {entry!r}")
        values = dotenv_values(stream=StringIO(harness[file]), interpolate=False)
        env |= {key: value for key, value in values.items() if value is not None}
    env |= _environment(service.get("environment"), f"{field}.environment")
    argv = (
        *_words(service.get("entrypoint"), f"{field}.entrypoint"),
        *_words(service.get("command"), f"{field}.command"),
    )
    if not argv:
        raise BadHarnessError(f"{field}.command: is missing")
    for word in (*argv, *env, *env.values()):
        if not _can_be_passed(word):
            raise BadHarnessError(f"{field}: {word!r} can't be passed to a program")
    for key in env:
        if not key or "=" in key:
            raise BadHarnessError(f"{field}.environment: {key!r} is not the name of a variable")
    files = _mounts(service.get("volumes"), f"{field}.volumes", harness)
    return Step(service=name, image=_image(service, field, harness), argv=argv, env=env, files=files)


def _image(service: dict[str, Any], field: str, harness: Mapping[str, str]) -> str:
    image = service.get("image")
    if isinstance(image, str):
        return image
    build = service.get("build")
    if build is None:
        raise BadHarnessError(f"{field}: has neither image nor build")
    if not isinstance(build, str | dict):
        raise BadHarnessError(f"{field}.build: must be a text or a mapping")
    context = build if isinstance(build, str) else build.get("context", ".")
    name = "Dockerfile" if isinstance(build, str) else build.get("dockerfile", "Dockerfile")
    dockerfile = harness.get(posixpath.normpath(posixpath.join(str(context), str(name))))
    base = re.search(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)", _expand(dockerfile or ""), re.MULTILINE | re.IGNORECASE)
    if not base:
        raise BadHarnessError(f"{field}.build: the harness has no {name} with a FROM line")
    return base[1]


def _mounts(volumes: Any, field: str, harness: Mapping[str, str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for volume in _list(volumes, field):
        source, _, rest = volume.partition(":")
        target = posixpath.normpath(re.sub("^/+", "/", rest.partition(":")[0] or "/"))
        if target == "/code" or target.startswith("/code/"):
            continue
        if source.startswith(("/", "~")) or not target.startswith("/") or target == "/":
            raise BadHarnessError(f"{field}: {volume!r} must mount a folder of the harness")
        mounted = len(files)
        folder = posixpath.normpath(source)
        for path, text in harness.items():
            if folder == ".":
                files[posixpath.join(target, path)] = text
            elif path == folder:
                files[target] = text
            elif path.startswith(folder + "/"):
                files[posixpath.join(target, path.removeprefix(folder + "/"))] = text
        if len(files) > mounted and target.split("/")[1] in _SYSTEM_FOLDERS:
            raise BadHarnessError(f"{field}: {volume!r} would hide a folder of the system")
    if len(files) > _MAX_FILES:
        raise BadHarnessError(f"{field}: mount {len(files)} files; {_MAX_FILES} are allowed")
    return files


def _environment(value: Any, field: str) -> dict[str, str]:
    if isinstance(value, dict):
        return {_scalar(key, field): _scalar(item, field) for key, item in value.items()}
    pairs = (entry.partition("=") for entry in _list(value, field))
    return {key: item for key, _, item in pairs}


def _words(value: Any, field: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_scalar(word, field) for word in value)
    if value is not None and not isinstance(value, str):
        raise BadHarnessError(f"{field}: must be a text or a list")
    try:
        return tuple(shlex.split(value or ""))
    except ValueError as error:
        raise BadHarnessError(f"{field}: {error}") from error


def _scalar(value: Any, field: str) -> str:
    """A value as docker compose writes it into a command or environment."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise BadHarnessError(f"{field}: holds {type(value).__name__} where a text or number belongs")


def _can_be_passed(word: str) -> bool:
    try:
        return b"\0" not in word.encode()
    except UnicodeEncodeError:
        return False


def _list(value: Any, field: str) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise BadHarnessError(f"{field}: must be a text or a list of texts")


def _expand(text: str) -> str:
    for name, value in _TEMPLATES.items():
        text = text.replace(name, value)
    return text


def _tools(step: Step) -> set[str]:
    if step.image == "verif-eda":
        return {"xrun"}
    simulator = step.env.get("SIM", "").lower()
    tools = {_SIMULATOR_TOOLS[simulator]} if simulator in _SIMULATOR_TOOLS else set()
    # A harness may call a tool itself; comments and prose name tools too, so only calls count.
    for path, text in step.files.items():
        if path.endswith((".py", ".sh")):
            code = re.sub(r"#.*", "", text)
            tools |= {tool for tool in _TOOL_WORDS if re.search(rf"[\"'\s/]{tool}[\"'\s]", code)}
    return tools
