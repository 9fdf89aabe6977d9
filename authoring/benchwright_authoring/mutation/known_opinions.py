"""Opinions that were proved before, by what they depend on: a proof takes far longer than a run."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, JsonValue, ValidationError

from benchwright_authoring.mutation.analysis import EquivalenceOpinion, ProveEquivalence
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares, ParameterSets
from benchwright_problems.problem import digest


class KnownOpinion(Model):
    """An `Opinion` that is kept; its inputs tell of the reference, so it is sealed."""

    result: str
    depth: int | None
    cycle: int | None
    stimulus: tuple[dict[str, int], ...]
    reason: str
    parameters: dict[str, int] = Field(default_factory=dict)


class KnownOpinions:
    """A `Prove` that asks another one only what is not known, and keeps what that decides.

    Args:
        opinions_folder: Folder in which opinions are kept, a file each; made when one is.
        prove_equivalence: Asked for the others.
        tools_digest: Identification of what its opinions depend on besides the designs, such as the toolchain's digest.
    """

    def __init__(self, opinions_folder: Path, prove_equivalence: ProveEquivalence, tools_digest: str) -> None:
        self._folder = opinions_folder
        self._prove = prove_equivalence
        self._tools = tools_digest

    async def __call__(
        self,
        reference: Mapping[str, bytes],
        mutated: Mapping[str, bytes],
        top_module: str,
        dont_cares: DontCares = NO_DONT_CARES,
        parameter_sets: ParameterSets = (),
    ) -> EquivalenceOpinion:
        """See `Prove`."""
        declared_options: list[JsonValue] = [dont_cares.model_dump(mode="json")] if dont_cares else []
        if parameter_sets:
            declared_options.append({"parameters": [dict(parameters) for parameters in parameter_sets]})
        key = digest([self._tools, top_module, _file_digests(reference), _file_digests(mutated), *declared_options])
        file = self._folder / f"{key}.json"
        with contextlib.suppress(OSError, ValidationError):
            return KnownOpinion.model_validate_json(file.read_bytes())
        new_opinion = await self._prove(reference, mutated, top_module, dont_cares, parameter_sets)
        opinion = KnownOpinion(
            result=new_opinion.result,
            depth=new_opinion.depth,
            cycle=new_opinion.cycle,
            stimulus=tuple(dict(inputs) for inputs in new_opinion.stimulus),
            reason=new_opinion.reason,
            parameters=dict(new_opinion.parameters),
        )
        if opinion.result != "unknown":
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(file, opinion.model_dump_json().encode(), 0o600, durable=False)
        return opinion


def _file_digests(content_by_path: Mapping[str, bytes]) -> JsonValue:
    return {path: hashlib.sha256(content).hexdigest() for path, content in content_by_path.items()}
