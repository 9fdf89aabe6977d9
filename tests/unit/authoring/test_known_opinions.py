"""Opinions that are known: a proved one is asked for once, and one that was not decided again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from benchwright_authoring.mutation.known_opinions import KnownOpinion, KnownOpinions
from benchwright_problems.equivalence import DontCares, ParameterSets
from benchwright_problems.problem import digest

REFERENCE, OTHER = {"a.sv": b"a & b"}, {"a.sv": b"a | b"}


class Prover:
    def __init__(self, result: str) -> None:
        self.tops: list[str] = []
        self._result = result

    async def __call__(
        self,
        reference: Mapping[str, bytes],
        candidate: Mapping[str, bytes],
        top_module: str,
        dont_cares: DontCares,
        parameter_sets: ParameterSets,
    ) -> KnownOpinion:
        self.tops.append(top_module)
        with_these = dict(parameter_sets[0]) if parameter_sets else {}
        return KnownOpinion(
            result=self._result, depth=None, cycle=2, stimulus=({"a": 1},), reason="why", parameters=with_these
        )


async def test_an_opinion_is_kept_over_a_restart(tmp_path: Path) -> None:
    prover = Prover("differs")
    first_opinion = await KnownOpinions(tmp_path / "kept", prover, "tools")(REFERENCE, OTHER, "m")
    second_opinion = await KnownOpinions(tmp_path / "kept", prover, "tools")(REFERENCE, OTHER, "m")
    assert first_opinion == second_opinion
    assert second_opinion.stimulus == ({"a": 1},)
    assert prover.tops == ["m"]
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "kept").iterdir()} == {0o600}


async def test_other_designs_and_other_tools_are_asked_about_again(tmp_path: Path) -> None:
    prover = Prover("equivalent")
    await KnownOpinions(tmp_path, prover, "tools")(REFERENCE, OTHER, "m")
    await KnownOpinions(tmp_path, prover, "tools")(OTHER, REFERENCE, "m")
    await KnownOpinions(tmp_path, prover, "tools")(REFERENCE, OTHER, "n")
    await KnownOpinions(tmp_path, prover, "newer")(REFERENCE, OTHER, "m")
    await KnownOpinions(tmp_path, prover, "tools")(REFERENCE, OTHER, "m", DontCares(always=("y",)))
    await KnownOpinions(tmp_path, prover, "tools")(REFERENCE, OTHER, "m", DontCares(unless={"y": "a"}))
    assert len(prover.tops) == 6


async def test_other_sets_of_parameters_are_asked_about_again_and_kept_with_what_they_show(tmp_path: Path) -> None:
    prover = Prover("differs")
    opinions = KnownOpinions(tmp_path, prover, "tools")
    for sets in ((), ({"W": 3},), ({"W": 3}, {"W": 4}), ({"W": 4}, {"W": 3})):
        await opinions(REFERENCE, OTHER, "m", parameter_sets=sets)
    assert len(prover.tops) == 4
    opinion = await opinions(REFERENCE, OTHER, "m", parameter_sets=({"W": 3},))
    assert opinion.parameters == {"W": 3}
    assert len(prover.tops) == 4


async def test_what_was_proved_before_there_were_sets_of_parameters_is_still_known(tmp_path: Path) -> None:
    file_digests: list[JsonValue] = [
        {"a.sv": hashlib.sha256(solution["a.sv"]).hexdigest()} for solution in (REFERENCE, OTHER)
    ]
    record: dict[str, JsonValue] = {"result": "equivalent", "depth": None, "cycle": None, "stimulus": [], "reason": ""}
    (tmp_path / f"{digest(['tools', 'm', *file_digests])}.json").write_text(json.dumps(record))
    prover = Prover("differs")
    opinion = await KnownOpinions(tmp_path, prover, "tools")(REFERENCE, OTHER, "m")
    assert (opinion.result, opinion.parameters, prover.tops) == ("equivalent", {}, [])


async def test_what_was_not_decided_is_tried_again(tmp_path: Path) -> None:
    prover = Prover("unknown")
    opinions = KnownOpinions(tmp_path, prover, "tools")
    for _ in range(2):
        await opinions(REFERENCE, OTHER, "m")
    assert len(prover.tops) == 2


async def test_a_file_that_can_not_be_read_is_proved_again(tmp_path: Path) -> None:
    prover = Prover("equivalent")
    opinions = KnownOpinions(tmp_path, prover, "tools")
    await opinions(REFERENCE, OTHER, "m")
    (file,) = tmp_path.iterdir()
    file.write_text("{")
    await opinions(REFERENCE, OTHER, "m")
    assert len(prover.tops) == 2
