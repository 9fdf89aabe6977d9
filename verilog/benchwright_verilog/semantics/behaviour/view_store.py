"""Views of the modules of a folder, kept from one start to the next."""

from __future__ import annotations

from pathlib import Path

from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceChoice, InstanceReference
from benchwright_verilog.semantics.project.folder_state import FolderStateStore


class InstanceChoiceStore:
    """Keeps the views of folders.

    Args:
        store_folder: Folder in which the views are kept; others can't read it.
    """

    def __init__(self, store_folder: Path) -> None:
        self._state = FolderStateStore(store_folder)

    def load_or_defaults(self, project_folder: Path) -> InstanceChoice:
        """The view of a folder; that with default parameters if none was kept, or it can't be read."""
        try:
            stored_view = self._state.load(project_folder)
            instances = {
                str(module): InstanceReference(str(path), tuple(map(str, modules)), tuple(map(Path, files)))
                for module, (path, modules, files) in stored_view["instances"].items()
            }
            return InstanceChoice(str(stored_view["top"]) if stored_view["top"] is not None else None, instances)
        except (ValueError, TypeError, KeyError, AttributeError):
            return DEFAULTS

    def save(self, project_folder: Path, instance_choice: InstanceChoice) -> None:
        """Keep the view of a folder. Where that can't be written, the choice ends with the program."""
        saved_instances = {
            module: [instance_path.path, instance_path.modules, [str(file) for file in instance_path.files]]
            for module, instance_path in instance_choice.instances.items()
        }
        self._state.save(
            project_folder,
            {"top": instance_choice.top_name, "instances": saved_instances} if instance_choice != DEFAULTS else {},
        )
