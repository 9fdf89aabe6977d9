"""Plan of a harness: the services of a `docker-compose.yml`, or a testbench and its simulator, as steps.

CVDP runs `docker compose run SERVICE` for every service in order, in `/code/rundir`, with the
solver's folders below `/code`; a run passes when every service exits 0. Volumes that name
`/code` are dropped there, and here.
"""

from __future__ import annotations

import os
import posixpath
import re
import secrets
import shlex
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from pydantic import ValidationError

from benchwright_foundation.model import Model
from benchwright_harness.decision.criterion import Criterion
from benchwright_harness.errors import BadHarnessError
from benchwright_harness.plan.image_names import OSS_PNR, OSS_SIM, VERIF_EDA, is_replaced_by_toolchain
from benchwright_harness.plan.testbench import PREDICTABLE, plan_testbench
from benchwright_harness.plan.testbench_text import PUBLISHED_SEED, RUN, SEED, draws_unseeded_numbers
from benchwright_harness.toolchain.tree import CHANNEL
from benchwright_problems.criterion import TESTBENCH_FILE, CriterionTable, OutputScope, Simulator
from benchwright_problems.equivalence import PROOF_FILE, ProofDescription
from benchwright_problems.repository.named_tests import VERIFIER, NamedTests

WORKDIR = "/code/rundir"
RANDOM_SEED = "1"
"""Seed of random numbers in Python, where a run has none of its own."""

OPEN_SOURCE_COVERAGE = "open-source coverage, target calibrated to another simulator"
"""The remark of verdicts for which `xrun` and `imc` were those of `inside/bin`."""

ON_VERILATOR = "run with Verilator, because Icarus takes no concurrent assertions"
"""The remark of verdicts for which the harness asked for Icarus."""

# For `inside/bin/verilator`: what Icarus takes without a word, or with a warning.
_LENIENT = {"BENCHWRIGHT_VERILATOR": "-Wno-fatal -Wno-lint -Wno-style --timing --assert"}
_TEMPLATES = {
    "__OSS_SIM_IMAGE__": OSS_SIM,
    "__OSS_PNR_IMAGE__": OSS_PNR,
    "__VERIF_EDA_IMAGE__": VERIF_EDA,
    "__LICENSE_NETWORK__": "licnetwork",
}
# Licensed tools are each site's own. The names are CVDP's.
_FROM_ENVIRONMENT = {"__VERIF_EDA_IMAGE__": "VERIF_EDA_IMAGE", "__LICENSE_NETWORK__": "LICENSE_NETWORK"}
_SYSTEM_FOLDERS = frozenset(
    {
        *("bin", "dev", "etc", "home", "lib", "lib32", "lib64", "opt", "proc"),
        *("root", "run", "rundir", "sbin", "sys", "tmp", "usr", "var"),
    }
)
_MAX_FILES = 400
_TOOL_WORDS = ("iverilog", "verilator", "yosys", "xrun", "imc")
_SIMULATOR_TOOLS = {
    "icarus": "iverilog",
    "verilator": "verilator",
    "xcelium": "xrun",
    "questa": "vsim",
    "riviera": "vsimsa",
    "vcs": "vcs",
    "ghdl": "ghdl",
    "nvc": "nvc",
}
_COMPOSE = "docker-compose.yml"
NEEDS_IMAGE = "x-needs-image"
"""The key of a service that runs in its image or not at all, as root and on files that it may change."""
_VERIFIER_FOLDER = "/src"
_OF_TESTBENCHES = ("simulator", "flags", "includes", "data")
_INSTALLING = re.compile(r"\s*(?:python3?\s+-m\s+)?pip3?\s+install\s+([^&|;<>$`]+?)\s*&&\s*")
_PYTHON_DRAW = re.compile(r"^\s*(?:import|from)\s[^#\n]*\brandom\b|\bRANDOM_SEED\b", re.MULTILINE)
_PACKAGE = re.compile(r"[A-Za-z0-9][\w.-]*")


class ImageBuild(Model):
    """Build of the image of a service, where it has to be made."""

    dockerfile: str
    """Its path in `files`."""
    files: dict[str, str]
    """The build's context: relative path → text, template variables put in."""
    args: dict[str, str]


class PlanStep(Model):
    """One service, or one program of a testbench's run."""

    service: str
    image: str
    """Image name after template variables; of the Dockerfile's base where the service is built."""
    argv: tuple[str, ...]
    env: dict[str, str]
    files: dict[str, str]
    """Absolute path inside the sandbox → text; mounted read-only."""
    build: ImageBuild | None = None
    """For sandboxes that can build an image; others run the step on its base."""
    networks: tuple[str, ...] = ()
    """Networks of the host that the service asks for by name, such as that of a licence server."""
    channel: str = ""
    """Text that the supervisor passes to the channel of a testbench."""
    needs_image: bool = False
    """True if nothing can stand in for the image, which the step may change as its root."""

    def with_token_and_seed(self, token: str, seed: str) -> PlanStep:
        """The same with a token instead of `RUN`, and a seed instead of `SEED` and for random numbers in Python."""
        random_seed = RANDOM_SEED if seed == PUBLISHED_SEED else str(int(seed, 16) >> 33)
        env = {"RANDOM_SEED": random_seed, "COCOTB_RANDOM_SEED": random_seed} | self.env
        if not self.channel and RUN not in "".join(self.argv):
            return self.model_copy(update={"env": env})
        return self.model_copy(
            update={
                "argv": tuple(word.replace(RUN, token) for word in self.argv),
                "files": {
                    path.replace(RUN, token): text.replace(RUN, token).replace(SEED, seed)
                    for path, text in self.files.items()
                },
                "channel": self.channel.replace(RUN, token),
                "env": env,
            }
        )


class HarnessPlan(Model):
    """All steps of a harness, in order."""

    steps: tuple[PlanStep, ...]
    tools: frozenset[str]
    """Programs the harness calls, of those whose absence is worth telling apart."""
    packages: frozenset[str] = frozenset()
    """Python packages that the harness would install first."""
    criterion: Criterion = Criterion()
    """Criterion that decides."""
    remarks: tuple[str, ...] = ()
    """Remarks that a verdict must make about how it was reached."""
    proved_module: str = ""
    """The module whose equivalence to the reference decides, without any step; empty where steps decide."""
    takes_seed: bool = False
    """True if the hidden tests draw random numbers, which can be others in each run."""
    has_published_draws: bool = False
    """True if the hidden tests, as published, draw the same numbers in each run."""

    def for_one_run(self, seed: str = PUBLISHED_SEED) -> HarnessPlan:
        """The plan with a token of its own instead of `RUN`, which a design can't have known.

        Args:
            seed: Seed of the hidden tests' random numbers, 16 hexadecimal digits.
        """
        token = secrets.token_hex(8)
        return self.model_copy(update={"steps": tuple(step.with_token_and_seed(token, seed) for step in self.steps)})


def toplevels_of_harness(harness: Mapping[str, str]) -> Sequence[str]:
    """The modules that a harness tests, as `TOPLEVEL` of its steps or a proof says; none if it can't be read."""
    try:
        plan = make_plan(harness)
    except BadHarnessError:
        return ()
    steps = plan.steps
    if plan.proved_module:
        return [plan.proved_module]
    return list(dict.fromkeys(step.env["TOPLEVEL"] for step in steps if step.env.get("TOPLEVEL")))


def images_needed(harness: Mapping[str, str]) -> list[str]:
    """The images that a harness runs in and nothing can stand in for; none if it can't be read."""
    try:
        return [step.image for step in make_plan(harness).steps if step.needs_image]
    except BadHarnessError:
        return []


def make_plan(
    harness: Mapping[str, str],
    simulator: Simulator | None = None,
    environ: Mapping[str, str] = os.environ,
    *,
    table: CriterionTable | None = None,
    tests: NamedTests | None = None,
    is_supervised: bool = True,
) -> HarnessPlan:
    """Read a harness's files.

    Args:
        harness: Relative path → text; must hold `docker-compose.yml`, `testbench.json`, `verifier.sh` or `proof.json`.
        simulator: Simulator that runs a testbench; Icarus if not said.
        environ: `VERIF_EDA_IMAGE` and `LICENSE_NETWORK` name what this site has of them.
        table: The problem's own criterion.
        tests: The tests that decide; None if all do.
        is_supervised: True if the sandbox has a supervisor, to which a testbench can speak.

    Raises:
        BadHarnessError: Names the file and field that can't be understood.
    """
    import yaml

    if PROOF_FILE in harness:
        return _proof_plan(harness, table)
    if TESTBENCH_FILE in harness:
        if tests is not None:
            raise BadHarnessError(f"tests: a harness with {TESTBENCH_FILE} has no tests with names")
        return _testbench_plan(harness, simulator or "icarus", table, is_supervised)
    if table is not None and table.scope is OutputScope.CHANNEL:
        raise BadHarnessError(f"criterion: scope: channel is for a harness with {TESTBENCH_FILE}")
    for name in _OF_TESTBENCHES if table is not None else ():
        if getattr(table, name):
            raise BadHarnessError(f"criterion: {name}: is for a harness with {TESTBENCH_FILE}")
    if VERIFIER in harness and _COMPOSE not in harness:
        return _verifier_plan(harness, Criterion(table=table, tests=tests))
    text = harness.get(_COMPOSE)
    if text is None:
        raise BadHarnessError(f"{_COMPOSE}: the harness has none, nor {TESTBENCH_FILE}, {VERIFIER} or {PROOF_FILE}")
    templates = _TEMPLATES | {
        name: value for name, variable in _FROM_ENVIRONMENT.items() if (value := environ.get(variable))
    }
    try:
        # Ten times as fast where PyYAML was built with its C library.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        compose = yaml.load(_with_template_values(text, templates), Loader=loader)  # noqa: S506 - both are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadHarnessError(f"{_COMPOSE}: is not YAML: {error}") from error
    services = compose.get("services") if isinstance(compose, dict) else None
    if not isinstance(services, dict) or not services:
        raise BadHarnessError(f"{_COMPOSE}: services: must name at least one service")
    outside = _outer_name_by_external_network(compose.get("networks"))
    requested_steps: list[PlanStep] = []
    packages = frozenset[str]()
    for name, service in services.items():
        step = _step_of_service(str(name), service, harness, templates, outside)
        argv, step_packages = _without_pip_install(step.argv)
        requested_steps.append(step.model_copy(update={"argv": argv}))
        packages |= step_packages
    steps = list(map(_on_verilator_if_icarus, requested_steps)) if simulator == "verilator" else requested_steps
    simulates = any({"MODULE", "COCOTB_TEST_MODULES"} & step.env.keys() for step in steps)
    tools = frozenset().union(*(_tools_called(step) for step in steps))
    verilog = [text for path, text in harness.items() if path.endswith((".v", ".sv", ".vh", ".svh"))]
    remarks: tuple[str, ...] = (ON_VERILATOR,) if steps != requested_steps else ()
    remarks += (PREDICTABLE,) if draws_unseeded_numbers(verilog) else ()
    remarks += (OPEN_SOURCE_COVERAGE,) if any(_runs_our_xrun(step) for step in steps) else ()
    criterion = Criterion(table=table, tests=tests, simulates=simulates)
    takes_seed = any(_PYTHON_DRAW.search(text) for path, text in harness.items() if path.endswith(".py"))
    return HarnessPlan(
        steps=tuple(steps), tools=tools, packages=packages, criterion=criterion, remarks=remarks, takes_seed=takes_seed
    )


def _proof_plan(harness: Mapping[str, str], table: CriterionTable | None) -> HarnessPlan:
    if table is not None:
        raise BadHarnessError(f"criterion: a proof decides where the harness has {PROOF_FILE}")
    try:
        description = ProofDescription.model_validate_json(harness[PROOF_FILE])
    except ValidationError as error:
        first_error = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first_error["loc"])
        raise BadHarnessError(f"{PROOF_FILE}: {field}: {first_error['msg']}") from error
    return HarnessPlan(
        steps=(), tools=frozenset({"yosys", "yosys-abc", "iverilog", "vvp"}), proved_module=description.top
    )


def _testbench_plan(
    harness: Mapping[str, str], simulator: Simulator, table: CriterionTable | None, is_supervised: bool
) -> HarnessPlan:
    criterion, simulation = plan_testbench(harness, simulator, table, has_channel=is_supervised)
    step = PlanStep(
        service="testbench",
        image=OSS_SIM,
        argv=simulation.argv,
        env={},
        files=simulation.files,
        channel=simulation.channel,
    )
    needed_tools = frozenset({_SIMULATOR_TOOLS[simulator], *((f"{CHANNEL}.vpi",) if is_supervised else ())})
    return HarnessPlan(
        steps=(step,),
        tools=needed_tools,
        criterion=criterion,
        remarks=simulation.remarks,
        takes_seed=simulation.takes_seed,
        has_published_draws=simulation.takes_seed,
    )


def _verifier_plan(harness: Mapping[str, str], criterion: Criterion) -> HarnessPlan:
    """A script that does all, with every file of the harness beside it."""
    step = PlanStep(
        service="verifier",
        image=OSS_SIM,
        argv=("bash", f"{_VERIFIER_FOLDER}/{VERIFIER}"),
        env={},
        files={f"{_VERIFIER_FOLDER}/{path}": text for path, text in harness.items()},
    )
    return HarnessPlan(steps=(step,), tools=frozenset(_tools_called(step)), criterion=criterion)


def _step_of_service(
    service_name: str,
    service: Any,
    harness: Mapping[str, str],
    value_by_template: Mapping[str, str],
    outer_name_by_network: Mapping[str, str],
) -> PlanStep:
    if not isinstance(service, dict):
        raise BadHarnessError(f"{_COMPOSE}: services.{service_name}: must be a mapping")
    field = f"{_COMPOSE}: services.{service_name}"
    env: dict[str, str] = {}
    for env_path in _string_list(service.get("env_file"), f"{field}.env_file"):
        file = posixpath.normpath(env_path)
        if file not in harness:
            raise BadHarnessError(f"{field}.env_file: the harness has no file {env_path!r}")
        from dotenv import dotenv_values

        values = dotenv_values(stream=StringIO(harness[file]), interpolate=False)
        env |= {key: value for key, value in values.items() if value is not None}
    env |= _variables_of_compose(service.get("environment"), f"{field}.environment")
    argv = (
        *_command_words(service.get("entrypoint"), f"{field}.entrypoint"),
        *_command_words(service.get("command"), f"{field}.command"),
    )
    if not argv:
        raise BadHarnessError(f"{field}.command: is missing")
    for word in (*argv, *env, *env.values()):
        if not _is_encodable_argument(word):
            raise BadHarnessError(f"{field}: {word!r} can't be passed to a program")
    for key in env:
        if not key or "=" in key:
            raise BadHarnessError(f"{field}.environment: {key!r} is not the name of a variable")
    files = _mounted_text_by_path(service.get("volumes"), f"{field}.volumes", harness)
    image, build = _image_and_build(service, field, harness, value_by_template)
    networks = _host_network_names(service.get("networks"), f"{field}.networks", outer_name_by_network)
    needs_image = service.get(NEEDS_IMAGE) is True
    if needs_image and is_replaced_by_toolchain(image):
        raise BadHarnessError(f"{field}.{NEEDS_IMAGE}: is for an image of others, and not for {image}")
    return PlanStep(
        service=service_name,
        image=image,
        argv=argv,
        env=env,
        files=files,
        build=build,
        networks=networks,
        needs_image=needs_image,
    )


def _on_verilator_if_icarus(testbench_step: PlanStep) -> PlanStep:
    """A step that asks for Icarus, with Verilator in its stead; see `selection.can_take_verilator`."""
    if testbench_step.env.get("SIM", "").lower() != "icarus":
        return testbench_step
    return testbench_step.model_copy(update={"env": testbench_step.env | {"SIM": "verilator", **_LENIENT}})


def _without_pip_install(argv: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """A command without the `pip install … &&` that its shell begins with, and what that would have installed.

    There is no network inside; the toolchain has the packages or the run can't be made.
    """
    packages: set[str] = set()
    words = list(argv)
    for number, word in enumerate(words):
        while number and (match := _INSTALLING.match(word)):
            package_matches = (_PACKAGE.match(name) for name in match[1].split() if not name.startswith("-"))
            packages |= {re.sub(r"[-_.]+", "-", name[0]).lower() for name in package_matches if name}
            word = words[number] = word[match.end() :]
    return tuple(words), frozenset(packages)


def _outer_name_by_external_network(networks: Any) -> dict[str, str]:
    """The networks that are there already: their name in the file → their name on the host."""
    if not isinstance(networks, dict):
        return {}
    outside = {str(key): value for key, value in networks.items() if isinstance(value, dict) and value.get("external")}
    return {key: str(value.get("name", key)) for key, value in outside.items()}


def _host_network_names(compose_value: Any, field: str, outer_name_by_network: Mapping[str, str]) -> tuple[str, ...]:
    names = (
        [str(name) for name in compose_value]
        if isinstance(compose_value, dict)
        else _string_list(compose_value, field) or ["default"]
    )
    return tuple(outer_name_by_network[name] for name in names if name in outer_name_by_network)


def _image_and_build(
    service_fields: dict[str, Any], field: str, harness: Mapping[str, str], value_by_template: Mapping[str, str]
) -> tuple[str, ImageBuild | None]:
    image, build = service_fields.get("image"), service_fields.get("build")
    if isinstance(image, str) and build is None:
        return image, None
    if build is None:
        raise BadHarnessError(f"{field}: has neither image nor build")
    if not isinstance(build, str | dict):
        raise BadHarnessError(f"{field}.build: must be a string or a mapping")
    build_context = posixpath.normpath(str(build if isinstance(build, str) else build.get("context", ".")))
    name = posixpath.normpath(str("Dockerfile" if isinstance(build, str) else build.get("dockerfile", "Dockerfile")))
    prefix = "" if build_context == "." else f"{build_context}/"
    files = {
        path.removeprefix(prefix): _with_template_values(text, value_by_template)
        for path, text in harness.items()
        if path.startswith(prefix)
    }
    from_match = re.search(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)", files.get(name, ""), re.MULTILINE | re.IGNORECASE)
    if not from_match:
        raise BadHarnessError(f"{field}.build: the harness has no {name} with a FROM line")
    args = {} if isinstance(build, str) else _variables_of_compose(build.get("args"), f"{field}.build.args")
    return from_match[1], ImageBuild(dockerfile=name, files=files, args=args)


def _mounted_text_by_path(volumes: Any, field: str, harness: Mapping[str, str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for volume in _string_list(volumes, field):
        source, _, target_and_mode = volume.partition(":")
        target = posixpath.normpath(re.sub("^/+", "/", target_and_mode.partition(":")[0] or "/"))
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


def _variables_of_compose(compose_value: Any, field: str) -> dict[str, str]:
    if isinstance(compose_value, dict):
        return {_scalar_text(key, field): _scalar_text(item, field) for key, item in compose_value.items()}
    assignments = (entry.partition("=") for entry in _string_list(compose_value, field))
    return {key: item for key, _, item in assignments}


def _command_words(compose_value: Any, field: str) -> tuple[str, ...]:
    if isinstance(compose_value, list):
        return tuple(_scalar_text(word, field) for word in compose_value)
    if compose_value is not None and not isinstance(compose_value, str):
        raise BadHarnessError(f"{field}: must be a string or a list")
    try:
        return tuple(shlex.split(compose_value or ""))
    except ValueError as error:
        raise BadHarnessError(f"{field}: {error}") from error


def _scalar_text(compose_value: Any, field: str) -> str:
    """A value as docker compose writes it into a command or environment."""
    if compose_value is None:
        return ""
    if isinstance(compose_value, bool):
        return str(compose_value).lower()
    if isinstance(compose_value, str | int | float):
        return str(compose_value)
    raise BadHarnessError(f"{field}: is a {type(compose_value).__name__}, but must be a string or a number")


def _is_encodable_argument(command_word: str) -> bool:
    try:
        return b"\0" not in command_word.encode()
    except UnicodeEncodeError:
        return False


def _string_list(compose_value: Any, field: str) -> list[str]:
    if compose_value is None:
        return []
    if isinstance(compose_value, str):
        return [compose_value]
    if isinstance(compose_value, list) and all(isinstance(item, str) for item in compose_value):
        return compose_value
    raise BadHarnessError(f"{field}: must be a string or a list of strings")


def _with_template_values(template_text: str, value_by_template: Mapping[str, str]) -> str:
    for name, value in value_by_template.items():
        template_text = template_text.replace(name, value)
    return template_text


def _runs_our_xrun(step: PlanStep) -> bool:
    """True if it calls `xrun` or `imc`, and not in an image that a site has licensed."""
    return step.image == VERIF_EDA or (step.image in (OSS_SIM, OSS_PNR) and bool(_tools_called(step) & {"xrun", "imc"}))


def _tools_called(step: PlanStep) -> set[str]:
    if step.image == VERIF_EDA:
        # Without a licensed image `xrun` and `imc` are ours, over Verilator.
        return {"verilator"}
    simulator = step.env.get("SIM", "").lower()
    tools = {_SIMULATOR_TOOLS[simulator]} if simulator in _SIMULATOR_TOOLS else set()
    # A harness may call a tool itself; comments and prose name tools too, so only calls count.
    for path, text in step.files.items():
        if path.endswith((".py", ".sh")):
            code = re.sub(r"#.*", "", text)
            tools |= {tool for tool in _TOOL_WORDS if re.search(rf"[\"'\s/]{tool}[\"'\s]", code)}
    return tools
