"""Parts of Benchwright that Inspect loads by itself: `inspect eval benchwright/answer`, from any folder.

Inspect puts the import package before a task's name where it finds it among installed files, and nothing where the
package is linked to a checkout. The name that people type is the distribution's, in both cases.
"""

from __future__ import annotations

from benchwright_subjects import tasks
from benchwright_subjects.inspect_private import registry_add, registry_info

for _task_factory in (tasks.answer, tasks.agent, tasks.map_prompt, tasks.reflect, tasks.refine):
    _info = registry_info(_task_factory)
    registry_add(_task_factory, _info.model_copy(update={"name": f"benchwright/{_info.name.rpartition('/')[2]}"}))
