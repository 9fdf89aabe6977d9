"""Fixtures and helpers of the tests of eval place."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

AGENT = '''\
#!/usr/bin/env python3
"""Does what the model says: lines of shell commands, until it says `done`."""
import json, os, subprocess, sys, urllib.request

def ask(messages):
    body = {"model": "inspect", "messages": messages}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]

messages = [{"role": "user", "content": sys.argv[1]}]
while (said := ask(messages)) != "done":
    ran = subprocess.run(["/bin/sh", "-c", said], capture_output=True, text=True)
    messages += [
        {"role": "assistant", "content": said},
        {"role": "user", "content": ran.stdout + ran.stderr + f"[{ran.returncode}]"},
    ]
'''


@pytest.fixture
def programs() -> Iterator[Path]:
    """A folder with an agent, as one would be installed: everybody may read it."""
    with tempfile.TemporaryDirectory() as temporary_folder:
        folder = Path(temporary_folder)
        folder.chmod(0o755)
        (folder / "bin").mkdir()
        (folder / "bin").chmod(0o755)
        (folder / "bin" / "agent").write_text(AGENT)
        (folder / "bin" / "agent").chmod(0o755)
        yield folder
