"""The images that compose.yaml takes from a registry, made of Debian's packages, under the same names.

They have the versions of this machine's Debian. What compose.yaml relies on is as there: variables, users,
capabilities, and that a new database is made by a server which only its socket reaches.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .service_image import import_packages, run

CADDY, POSTGRES = "docker.io/library/caddy:2", "docker.io/library/postgres:17"
_BARE = "local/debian:1"
_CADDY = f"""\
FROM {_BARE}
COPY caddy /usr/bin/caddy
RUN setcap cap_net_bind_service=+ep /usr/bin/caddy
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
"""
_POSTGRES = f"""\
FROM {_BARE}
RUN useradd --system --uid 999 --home-dir /var/lib/postgresql postgres
COPY entrypoint /usr/local/bin/entrypoint
ENV PATH=$PROGRAMS:$PATH PGDATA=/var/lib/postgresql/data LC_ALL=C.UTF-8
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint"]
"""
_POSTGRES_ENTRYPOINT = """\
#!/bin/sh
set -eu
if [ "$(id -u)" = 0 ]
then
    install -d -m 700 -o postgres -g postgres "$PGDATA"
    install -d -o postgres -g postgres /run/postgresql
    POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
    export POSTGRES_PASSWORD
    exec setpriv --reuid postgres --regid postgres --init-groups "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]
then
    echo "$POSTGRES_PASSWORD" > /run/postgresql/password
    initdb --username "$POSTGRES_USER" --pwfile /run/postgresql/password --encoding UTF8
    rm /run/postgresql/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    pg_ctl --wait --options "-c listen_addresses=" start
    createdb --username "$POSTGRES_USER" --maintenance-db postgres "$POSTGRES_DB"
    pg_ctl --wait stop
fi
unset POSTGRES_PASSWORD
exec postgres -c "listen_addresses=*"
"""


def import_published_images(docker_host: str, folder: Path) -> None:
    """Gives an engine both; skips the test where they can't be made.

    Args:
        docker_host: Address of the engine.
        folder: An empty one, for what is only needed meanwhile.
    """
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    packages = (f"postgresql-{programs.parent.name}", "passwd", "libcap2-bin", "ca-certificates")
    # Nobody's queries are worth compiling.
    import_packages(docker_host, folder, _BARE, *packages, added_files={}, left_out="libLLVM|llvmjit")
    shutil.copy(_caddy(folder), folder / "caddy")
    (folder / "entrypoint").write_text(_POSTGRES_ENTRYPOINT)
    (folder / "entrypoint").chmod(0o755)
    environment = os.environ | {"DOCKER_HOST": docker_host, "DOCKER_BUILDKIT": "0"}
    for name, text in ((CADDY, _CADDY), (POSTGRES, _POSTGRES.replace("$PROGRAMS", str(programs)))):
        (folder / "Containerfile").write_text(text)
        run("docker", "build", "--tag", name, "--file", folder / "Containerfile", folder, env=environment)


def _caddy(folder: Path) -> Path:
    if (installed := shutil.which("caddy")) is not None:
        return Path(installed)
    download = subprocess.run(["apt-get", "download", "caddy"], cwd=folder, capture_output=True, timeout=300)
    packages = list(folder.glob("caddy_*.deb"))
    if download.returncode or not packages:
        pytest.skip("Debian's package caddy can't be downloaded")
    subprocess.run(["dpkg", "-x", packages[0], folder / "package"], check=True)
    return folder / "package/usr/bin/caddy"
