from __future__ import annotations

import pytest

from benchwright_harness.errors import BadHarnessError
from benchwright_harness.plan.plan import OPEN_SOURCE_COVERAGE, HarnessPlan, PlanStep, make_plan

SRC = {"src/.env": "SIM = icarus\nTOPLEVEL=top\n", "src/test_runner.py": "import pytest\n"}


def harness_with_service(service: str, **files: str) -> dict[str, str]:
    lines = "".join(f"    {line}\n" for line in service.splitlines())
    return {"docker-compose.yml": f"services:\n  direct:\n{lines}", **SRC, **files}


def only_planned_step(service: str) -> PlanStep:
    (only_step,) = make_plan(harness_with_service(service)).steps
    return only_step


def test_a_service_in_cvdps_form_becomes_a_step() -> None:
    planned_step = only_planned_step(
        "image: __OSS_SIM_IMAGE__\nvolumes:\n  - ./src/:/src/:ro\nenv_file: ./src/.env\n"
        "command: pytest -s -o cache_dir=/rundir/harness/.cache /src/test_runner.py -v"
    )
    assert planned_step == PlanStep(
        service="direct",
        image="oss-sim",
        argv=("pytest", "-s", "-o", "cache_dir=/rundir/harness/.cache", "/src/test_runner.py", "-v"),
        env={"SIM": "icarus", "TOPLEVEL": "top"},
        files={"/src/.env": SRC["src/.env"], "/src/test_runner.py": SRC["src/test_runner.py"]},
    )


def test_services_run_in_their_order() -> None:
    text = "services:\n  b: {image: i, command: one}\n  a: {image: i, command: two}\n"
    assert [planned_step.service for planned_step in make_plan({"docker-compose.yml": text}).steps] == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("command: sh -c 'a b' \"c\"", ("sh", "-c", "a b", "c")),
        ("command: [sh, -c, a b, 1, true]", ("sh", "-c", "a b", "1", "true")),
        ("entrypoint: sh -c\ncommand: [ls]", ("sh", "-c", "ls")),
        ("entrypoint: [run]\n", ("run",)),
        ("entrypoint: []\ncommand: ls", ("ls",)),
        ("command: |\n  one\n  two", ("one", "two")),
    ],
)
def test_commands_may_be_a_text_or_a_list(text: str, argv: tuple[str, ...]) -> None:
    assert only_planned_step(f"image: i\n{text}").argv == argv


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("environment: [A=1, B=x=y, C]", {"A": "1", "B": "x=y", "C": ""}),
        ("environment: {A: 1, B: true, C: null, D: 1.5, E: ''}", {"A": "1", "B": "true", "C": "", "D": "1.5", "E": ""}),
        ("env_file: src/.env", {"SIM": "icarus", "TOPLEVEL": "top"}),
        ("env_file: [./src/.env]", {"SIM": "icarus", "TOPLEVEL": "top"}),
        ("env_file: ./src/../src/.env\nenvironment: {SIM: verilator}", {"SIM": "verilator", "TOPLEVEL": "top"}),
        ("environment:", {}),
    ],
)
def test_variables_come_from_files_and_then_the_service(text: str, env: dict[str, str]) -> None:
    assert only_planned_step(f"image: i\ncommand: ls\n{text}").env == env


def test_later_environment_files_win() -> None:
    harness = harness_with_service(
        "image: i\ncommand: ls\nenv_file: [a.env, b.env]", **{"a.env": "X=1\nY=1", "b.env": "Y=2"}
    )
    assert make_plan(harness).steps[0].env == {"X": "1", "Y": "2"}


def test_environment_files_keep_quotes_comments_and_dollars_as_dotenv_does() -> None:
    harness = harness_with_service(
        "image: i\ncommand: ls\nenv_file: a.env", **{"a.env": "A='x # y'\nB=1 # c\nexport C=$A\n#D=1\nE\n"}
    )
    assert make_plan(harness).steps[0].env == {"A": "x # y", "B": "1", "C": "$A"}


@pytest.mark.parametrize(
    ("volume", "targets"),
    [
        ("./src:/src", {"/src/.env", "/src/test_runner.py"}),
        ("src/:/src/:ro", {"/src/.env", "/src/test_runner.py"}),
        ("./src/test_runner.py:/t/run.py", {"/t/run.py"}),
        ("./:/all", {"/all/docker-compose.yml", "/all/src/.env", "/all/src/test_runner.py"}),
        ("./src://src", {"/src/.env", "/src/test_runner.py"}),
        ("./src:/a/../src", {"/src/.env", "/src/test_runner.py"}),
        ("./rtl:/code/rtl", set()),
        ("./src:/code", set()),
        ("./src:/src/../code/x", set()),
        ("./none:/none", set()),
        ("./rundir:/rundir", set()),
    ],
)
def test_mounts_take_the_harness_and_drop_the_solvers_folders(volume: str, targets: set[str]) -> None:
    assert set(only_planned_step(f"image: i\ncommand: ls\nvolumes: ['{volume}']").files) == targets


@pytest.mark.parametrize(
    ("service", "reason"),
    [
        ("image: i", r"services\.direct\.command: is missing"),
        ("command: ls", r"services\.direct: has neither image nor build"),
        ('image: i\ncommand: "a \'b"', r"services\.direct\.command: No closing quotation"),
        ("image: i\ncommand: 5", r"services\.direct\.command: must be a string or a list"),
        ("image: i\ncommand: {a: b}", r"services\.direct\.command: must be a string or a list"),
        ("image: i\ncommand: [[ls]]", r"services\.direct\.command: is a list, but must be a string"),
        ('image: i\ncommand: ["a\\0b"]', r"services\.direct: 'a\\x00b' can't be passed"),
        ('image: i\ncommand: ["\\ud800"]', r"can't be passed to a program|is not YAML"),
        ("image: i\ncommand: ls\nenvironment: 5", r"services\.direct\.environment: must be a string or a list"),
        ("image: i\ncommand: ls\nenvironment: {A: [1]}", r"services\.direct\.environment: is a list"),
        ('image: i\ncommand: ls\nenvironment: {"A=B": 1}', r"environment: 'A=B' is not the name of a variable"),
        ("image: i\ncommand: ls\nenvironment: ['=1']", r"environment: '' is not the name of a variable"),
        ('image: i\ncommand: ls\nenvironment: {A: "x\\0"}', r"can't be passed to a program"),
        (
            "image: i\ncommand: ls\nenv_file: none.env",
            r"services\.direct\.env_file: the harness has no file 'none.env'",
        ),
        ("image: i\ncommand: ls\nenv_file: ../../etc/passwd", r"env_file: the harness has no file"),
        ("image: i\ncommand: ls\nenv_file: [{path: a}]", r"env_file: must be a string or a list of strings"),
        ("image: i\ncommand: ls\nvolumes: [{type: bind}]", r"volumes: must be a string or a list of strings"),
        ("image: i\ncommand: ls\nvolumes: [/etc:/src]", r"volumes: '/etc:/src' must mount a folder of the harness"),
        ("image: i\ncommand: ls\nvolumes: [~/x:/src]", r"volumes: '~/x:/src' must mount a folder"),
        ("image: i\ncommand: ls\nvolumes: [./src]", r"volumes: './src' must mount"),
        ("image: i\ncommand: ls\nvolumes: [./src:/]", r"volumes: './src:/' must mount"),
        ("image: i\ncommand: ls\nvolumes: [./src:src]", r"volumes: './src:src' must mount"),
        ("image: i\ncommand: ls\nvolumes: [./src:/usr/x]", r"would hide a folder of the system"),
        ("image: i\ncommand: ls\nvolumes: [./src:/tmp]", r"would hide a folder of the system"),
        ("build: .\ncommand: ls", r"services\.direct\.build: the harness has no Dockerfile with a FROM line"),
        ("build: 7\ncommand: ls", r"services\.direct\.build: must be"),
        ("build: [.]\ncommand: ls", r"services\.direct\.build: must be"),
        ("5", r"services\.direct: must be a mapping"),
    ],
)
def test_a_service_that_makes_no_sense_is_refused_by_its_field(service: str, reason: str) -> None:
    with pytest.raises(BadHarnessError, match=reason):
        make_plan(harness_with_service(service))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "docker-compose.yml: the harness has none"),
        ("", "services: must name at least one"),
        ("services: {}", "services: must name at least one"),
        ("services: [a]", "services: must name at least one"),
        ("- a", "services: must name at least one"),
        ("a: b: c", "is not YAML"),
        ("\x00", "is not YAML"),
        ("services: {a: !!python/object/apply:os.system [ls]}", "is not YAML"),
        ("a: 2020-99-99", "is not YAML"),
        ("[" * 1000, "is not YAML"),
        ("services: {a: {image: i, command: ls, environment: 2001-13-01}}", "is not YAML"),
    ],
)
def test_a_compose_file_that_is_none_is_refused(text: str | None, reason: str) -> None:
    with pytest.raises(BadHarnessError, match=reason):
        make_plan({} if text is None else {"docker-compose.yml": text})


def test_a_yaml_bomb_is_refused_before_it_grows() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    with pytest.raises(BadHarnessError, match="is a list"):
        make_plan({"docker-compose.yml": f"{bomb}services: {{s: {{image: i, command: ls, environment: {{A: *a59}}}}}}"})


def test_too_many_hidden_files_are_refused() -> None:
    files = {f"src/{number}": "" for number in range(401)}
    with pytest.raises(BadHarnessError, match=r"mount 40[123] files; 400 are allowed"):
        make_plan(harness_with_service("image: i\ncommand: ls\nvolumes: [./src:/src]", **files))


@pytest.mark.parametrize(
    ("build", "files"),
    [
        (".", {"Dockerfile": "# base\nFROM --platform=linux/amd64 __OSS_SIM_IMAGE__ AS x\nRUN ls\n"}),
        ("./docker", {"docker/Dockerfile": "from __OSS_SIM_IMAGE__\n"}),
        ("{context: ., dockerfile: sim.dockerfile}", {"sim.dockerfile": "FROM __OSS_SIM_IMAGE__\n"}),
        ("{dockerfile: Dockerfile}", {"Dockerfile": "FROM __OSS_SIM_IMAGE__\n"}),
    ],
)
def test_a_built_service_has_the_image_of_its_base(build: str, files: dict[str, str]) -> None:
    assert make_plan(harness_with_service(f"build: {build}\ncommand: ls", **files)).steps[0].image == "oss-sim"


@pytest.mark.parametrize(
    ("variable", "image"),
    [
        ("__OSS_SIM_IMAGE__", "oss-sim"),
        ("__OSS_PNR_IMAGE__", "oss-pnr"),
        ("__VERIF_EDA_IMAGE__", "verif-eda"),
        ("ghcr.io/hdl/sim/osvb:latest", "ghcr.io/hdl/sim/osvb:latest"),
    ],
)
def test_template_variables_name_images(variable: str, image: str) -> None:
    assert only_planned_step(f"image: {variable}\ncommand: ls").image == image


def planned_tools(service: str = "image: i\ncommand: ls\nvolumes: [./src:/src]", **files: str) -> frozenset[str]:
    plan: HarnessPlan = make_plan(harness_with_service(service, **files))
    return plan.tools


@pytest.mark.parametrize(
    ("simulator", "tool"),
    [("icarus", "iverilog"), ("verilator", "verilator"), ("xcelium", "xrun"), ("Icarus", "iverilog")],
)
def test_the_simulator_names_a_tool(simulator: str, tool: str) -> None:
    assert planned_tools(f"image: i\ncommand: ls\nenvironment: {{SIM: {simulator}}}") == {tool}


@pytest.mark.parametrize(
    ("code", "tool_names"),
    [
        ('subprocess.run(["yosys", "-p", script])', {"yosys"}),
        ("os.system('verilator --lint-only x.sv')", {"verilator"}),
        ('cmd = "xrun -f args && imc -exec x"', {"xrun", "imc"}),
        ("# yosys would be nice", set()),
        ("simulate()  # with 'xrun'", set()),
        ("yosys_area = 3; my_iverilog()", set()),
        ("shutil.which('/usr/bin/yosys')", {"yosys"}),
    ],
)
def test_tools_that_a_harness_calls_are_found(code: str, tool_names: set[str]) -> None:
    assert planned_tools(**{"src/check.py": code}) == tool_names


def test_words_in_other_files_are_not_calls() -> None:
    assert planned_tools(**{"src/readme.md": 'run "xrun" now'}) == frozenset()


def test_a_commercial_image_is_served_by_verilator_and_the_verdict_will_say_so() -> None:
    service = "image: __VERIF_EDA_IMAGE__\ncommand: pytest /src/process.py"
    assert planned_tools(service) == {"verilator"}
    harness = {"docker-compose.yml": f"services:\n  a:\n    {service.replace(chr(10), chr(10) + '    ')}\n"}
    assert make_plan(harness, environ={}).remarks == (OPEN_SOURCE_COVERAGE,)
    assert make_plan(harness, environ={"VERIF_EDA_IMAGE": "site/xcelium"}).remarks == ()


@pytest.mark.parametrize(
    ("command", "argv", "packages"),
    [
        ("[sh, -c, 'pip install cocotb-bus && pytest /src/a.py']", ("sh", "-c", "pytest /src/a.py"), {"cocotb-bus"}),
        (
            "[bash, -c, 'pip3 install -q Cocotb_Bus==0.3 aes && python3 -m pip install scapy && pytest']",
            ("bash", "-c", "pytest"),
            {"cocotb-bus", "aes", "scapy"},
        ),
        ("pytest pip install x", ("pytest", "pip", "install", "x"), set()),
        ("[sh, -c, 'pytest && pip install x']", ("sh", "-c", "pytest && pip install x"), set()),
    ],
)
def test_packages_are_asked_of_the_toolchain_and_not_installed(
    command: str, argv: tuple[str, ...], packages: set[str]
) -> None:
    plan = make_plan({"docker-compose.yml": f"services:\n  a:\n    image: i\n    command: {command}\n"})
    assert (plan.steps[0].argv, set(plan.packages)) == (argv, packages)
