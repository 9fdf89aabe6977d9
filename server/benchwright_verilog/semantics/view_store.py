"""What the modules of a folder are viewed as, kept from one start to the next."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from benchwright_verilog.semantics.instance_paths import DEFAULTS, InstancePath, View


class ViewStore:
    """Keeps the views of folders.

    Args:
        folder: Where; others can't read it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, root: Path) -> View:
        """The view of a folder; that with default parameters if none was kept, or it can't be read."""
        try:
            kept = json.loads(self._file(root).read_bytes())
            instances = {
                str(module): InstancePath(str(path), tuple(map(str, modules)), tuple(map(Path, files)))
                for module, (path, modules, files) in kept["instances"].items()
            }
            return View(str(kept["top"]) if kept["top"] is not None else None, instances)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return DEFAULTS

    def save(self, root: Path, view: View) -> None:
        """Keep the view of a folder. Where that can't be written, the choice ends with the program."""
        instances = {
            module: [chosen.path, chosen.modules, [str(file) for file in chosen.files]]
            for module, chosen in view.instances.items()
        }
        text = json.dumps({"folder": str(root), "top": view.top, "instances": instances})
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._file(root)
            if view == DEFAULTS:
                file.unlink(missing_ok=True)
                return
            new = file.with_suffix(f".{os.getpid()}")
            with new.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(file)

    def _file(self, root: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(root)).hexdigest()[:32]}.json"
