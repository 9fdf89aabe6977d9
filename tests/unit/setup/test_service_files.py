"""Files that `setup/service/` installs: commands and settings that exist, nothing open, no secret in it."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchwright_service.app import body_byte_limit

ROOT = Path(__file__).parents[3]
FILES = ROOT / "setup/service"
_SOURCES = "".join(
    (ROOT / "service/benchwright_service/command_line" / name).read_text("utf-8") for name in ("serve.py", "options.py")
)


def settings() -> dict[str, str]:
    """Of service.env, those that are commented out too."""
    lines = (FILES / "service.env").read_text("utf-8").splitlines()
    return dict(line.lstrip("# ").split("=", 1) for line in lines if re.match(r"(# )?[A-Z_]+=", line))


def compose() -> dict[str, Any]:
    """The file's content."""
    configuration: dict[str, Any] = yaml.safe_load((FILES / "compose.yaml").read_text("utf-8"))
    return configuration


def instructions() -> list[tuple[str, str]]:
    """Of the container file, with lines that go on joined."""
    text = (FILES / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2].strip()) for line in lines]


def test_every_setting_is_one_that_the_command_line_reads() -> None:
    of_container = re.findall(r"BENCHWRIGHT_SERVICE_\w+", (FILES / "Containerfile").read_text("utf-8"))
    of_compose = compose()["services"]["bench-1"]["environment"]
    setting_names = {
        name for name in (*settings(), *of_container, *of_compose) if name.startswith("BENCHWRIGHT_SERVICE_")
    }
    assert setting_names
    for name in setting_names:
        assert f'"{name}"' in _SOURCES, name


def unit(name: str) -> configparser.SectionProxy:
    """Parsed file of a unit, with what it starts."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((FILES / name).read_text("utf-8"))
    service = parser["Service"]
    # With these bubblewrap could not make its namespaces.
    assert not {"RestrictNamespaces", "SystemCallFilter", "PrivateUsers"} & set(service)
    return service


def test_the_unit_starts_the_service_as_its_own_user_with_its_settings() -> None:
    service = unit("benchwright.service")
    assert service["ExecStart"].endswith("/benchwright serve")
    assert service["User"] == "benchwright"
    text = (FILES / "benchwright.service").read_text("utf-8")
    # The last one counts: what one of several processes has for itself.
    assert re.findall("EnvironmentFile=(.*)", text) == [
        "/etc/benchwright/service.env",
        "-/etc/benchwright/service-%i.env",
    ]
    assert settings()["BENCHWRIGHT_HOME"] in service["ReadWritePaths"]


def test_runs_are_done_by_another_user_than_the_services() -> None:
    worker, service = unit("benchwright-worker@.service"), unit("benchwright.service")
    assert settings()["BENCHWRIGHT_SERVICE_WORKERS"] == "0"
    assert worker["User"] != service["User"]
    assert not set(worker["ReadWritePaths"].split()) & set(service["ReadWritePaths"].split())
    assert f"http://127.0.0.1:{settings()['BENCHWRIGHT_SERVICE_PORT']} " in worker["ExecStart"]
    # The token is not in the command line, which every user can read.
    assert "--token-file %d/token" in worker["ExecStart"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", ["benchwright.service", "benchwright-worker@.service"])
def test_systemd_finds_no_flaw_in_the_unit(tmp_path: Path, name: str) -> None:
    text = (FILES / name).read_text("utf-8")
    copy = tmp_path / name
    copy.write_text(text.replace("/opt/benchwright/.venv/bin/benchwright", "/bin/true"))
    verify_process = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, timeout=60)
    assert [line for line in verify_process.stderr.splitlines() if copy.name in line] == []


def test_the_container_runs_as_nobody_in_particular_and_copies_only_what_is_there() -> None:
    container_lines = instructions()
    assert {name for name, _ in container_lines} <= {
        *("ARG", "FROM", "RUN", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD")
    }
    assert ("USER", "benchwright") in container_lines
    assert [name for name, _ in container_lines[:2]] == ["ARG", "FROM"]
    assert "--require-hashes" in " ".join(text for name, text in container_lines if name == "RUN")
    let_in = (FILES / "Containerfile.dockerignore").read_text("utf-8").split()
    copied = next(text for name, text in container_lines if name == "COPY").split()[:-1]
    assert let_in == ["*", *(f"!{name}" for name in copied)]
    assert (ROOT / copied[0]).is_file()


def test_compose_publishes_ports_on_loopback_alone_and_holds_no_password() -> None:
    services = compose()["services"]
    assert all(port.startswith("127.0.0.1:") for service in services.values() for port in service.get("ports", ()))
    assert "ports" not in services["database"]
    for service in services.values():
        plain_texts = _plain(service.get("environment", {}))
        assert not any(re.search(r"PASSWORD$|://", name + value) for name, value in plain_texts)
        assert set(service.get("secrets", ())) <= set(compose()["secrets"])
    stages = re.findall(r"^FROM \S+ AS (\w+)", (FILES / "Containerfile").read_text("utf-8"), re.MULTILINE)
    builds = [service["build"] for service in services.values() if "build" in service]
    assert {build["target"] for build in builds} == set(stages)
    for build in builds:
        assert (FILES / build["context"] / build["dockerfile"]).resolve() == FILES / "Containerfile"


def test_the_web_processes_share_what_they_have_to_and_the_proxy_asks_before_they_end() -> None:
    services = compose()["services"]
    first, second = services["bench-1"], services["bench-2"]
    assert first == second
    assert "data:/data" in first["volumes"]
    proxy = (FILES / "processes.Caddyfile").read_text("utf-8")
    assert "reverse_proxy bench-1:8443 bench-2:8443" in proxy
    (interval,) = re.findall(r"health_interval (\d+)s", proxy)
    (timeout,) = re.findall(r"health_timeout (\d+)s", proxy)
    assert "/api/v1/health/accepting" in proxy
    assert int(first["environment"]["BENCHWRIGHT_SERVICE_DRAIN_S"]) > int(interval) + int(timeout)


def test_only_the_workers_profiles_are_off_and_nobody_has_a_capability_but_the_proxy() -> None:
    services = compose()["services"]
    relaxed = [name for name, service in services.items() if "seccomp=unconfined" in service.get("security_opt", ())]
    assert relaxed == ["worker"]
    with_capabilities = [name for name, service in services.items() if service.get("cap_add")]
    assert with_capabilities == ["proxy"]
    assert all(services[name]["cap_drop"] == ["ALL"] for name in ("bench-1", "bench-2", "proxy", "worker"))


def test_the_proxies_let_through_what_the_service_takes() -> None:
    nginx = (FILES / "nginx.conf").read_text("utf-8")
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", nginx)
    assert int(megabytes) << 20 >= body_byte_limit("/events")
    assert nginx.count("{") == nginx.count("}")
    port = settings()["BENCHWRIGHT_SERVICE_PORT"]
    for proxy in (nginx, (FILES / "Caddyfile").read_text("utf-8")):
        assert f"127.0.0.1:{port}" in proxy


def _plain(environment: dict[str, str]) -> list[tuple[str, str]]:
    # The public address has no secret.
    return [(name, value) for name, value in environment.items() if name != "BENCHWRIGHT_SERVICE_ADDRESS"]
