"""Harnesses of data sets whose tests run in an image of their own, on files of the solver's that are put into it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping

FOLDER = "task"
"""The harness's folder, which the container has at `/task`."""
# The solver's files are in /code, with folders of every run; what was deleted there is still in the image.
_PUT_FILES = """\
[ ! -L /code/src ] || rm /code/src
rmdir /code/docs /code/rtl /code/verif 2>/dev/null
mkdir -p {workspace} && cd {workspace} || exit 1
while IFS= read -r path; do
  [ -e "/code/$path" ] || rm -f -- "$path"
done < /task/paths
for entry in /code/* /code/.[!.]*; do
  if [ "$entry" != /code/rundir ] && [ -e "$entry" ]; then cp -R "$entry" . || exit 1; fi
done
"""


def image_harness(
    image: str,
    workspace: str,
    given_paths: Iterable[str],
    script: str,
    files: Mapping[str, str],
    environment: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The files of a harness.

    Args:
        image: Its name.
        workspace: The folder of the image that gets the solver's files.
        given_paths: The files that the solver begins with.
        script: Runs the tests, in `workspace`.
        files: Path in the harness → text; each folder at the top is one of the container's root.
        environment: Variables of the tests.
    """
    put_files = "" if workspace == "/code" else _PUT_FILES.format(workspace=shlex.quote(workspace))
    start = put_files or f"cd {workspace} || exit 1\n"
    harness = {
        f"{FOLDER}/run.sh": start + script,
        f"{FOLDER}/paths": "".join(f"{path}\n" for path in given_paths),
        **files,
    }
    folders = sorted({path.split("/")[0] for path in harness})
    compose_service = {
        "image": image,
        # benchwright_harness.plan.plan.NEEDS_IMAGE
        "x-needs-image": True,
        "environment": dict(environment or {}),
        "volumes": [f"./{folder}:/{folder}" for folder in folders],
        "command": ["sh", f"/{FOLDER}/run.sh"],
    }
    return {"docker-compose.yml": json.dumps({"services": {"tests": compose_service}}, indent=1) + "\n", **harness}
