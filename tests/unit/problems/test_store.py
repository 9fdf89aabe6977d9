from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchwright_foundation import atomic
from benchwright_foundation.home import Home
from benchwright_problems.category import Category
from benchwright_problems.errors import DatasetError, PackExistsError, StoreError, UnknownProblemError
from benchwright_problems.problem import Answer, Difficulty, Hidden, Pack, Problem, ProblemKind, Provenance, Public
from benchwright_problems.storage import store as store_module
from benchwright_problems.storage.pack_folder import BUILT_IN
from benchwright_problems.storage.store import Store

CANARY = "CANARY-7d1f"


def pack_with_word(name: str = "mine", word: str = "one", ids: tuple[str, ...] = ("a", "b")) -> Pack:
    return Pack(
        name=name,
        title="Mine",
        version=word,
        license="MIT",
        source="here",
        problems=tuple(
            Problem(
                id=problem_id,
                kind=ProblemKind.DESIGN,
                title=problem_id,
                category=Category.SPEC_TO_RTL,
                difficulty=Difficulty.EASY,
                provenance=Provenance(source="here", license="MIT", version=word),
                public=Public(statement=f"# {word}", expected=("rtl/a.sv",)),
                hidden=Hidden(
                    harness={"docker-compose.yml": f"{CANARY} {word}"},
                    reference={"rtl/a.sv": f"// {CANARY}"},
                    patches={"rtl/a.sv": CANARY},
                    answer=Answer(value=CANARY, explanation=CANARY),
                    record=[{"op": "add", "path": "/x", "value": CANARY}],
                ),
            )
            for problem_id in ids
        ),
    )


def public_and_hidden_word(store: Store, ref: str = "mine/a") -> tuple[str, str]:
    problem = store.unseal(ref)
    return problem.public.statement.removeprefix("# "), problem.hidden.harness["docker-compose.yml"].split()[1]


def test_a_stored_problem_comes_back_whole(store: Store, home: Home) -> None:
    store.add(pack_with_word())
    assert Store(home).unseal("mine/b") == pack_with_word().problems[1]
    assert store.pack_names() == [*BUILT_IN, "mine"]


def test_the_public_side_holds_nothing_hidden(store: Store, home: Home) -> None:
    store.add(pack_with_word())
    assert CANARY not in store.public_pack("mine").model_dump_json()
    assert CANARY not in store.problem("mine/a").model_dump_json()
    for file in (home.data / "packs").iterdir():
        assert CANARY.encode() not in file.read_bytes()


def test_hidden_parts_are_for_the_owner_only(store: Store, home: Home) -> None:
    mask = os.umask(0)
    try:
        store.add(pack_with_word())
    finally:
        os.umask(mask)
    folders = [home.data / "sealed", *(path for path in (home.data / "sealed").iterdir())]
    files = [path for path in (home.data / "sealed").rglob("*") if path.is_file()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o700, 0o700]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600, 0o600]


def test_a_folder_that_was_open_to_others_is_closed(store: Store, home: Home) -> None:
    (home.data / "sealed").mkdir(parents=True, mode=0o755)
    store.add(pack_with_word())
    assert stat.S_IMODE((home.data / "sealed").stat().st_mode) == 0o700


def test_a_pack_is_replaced_only_on_demand(store: Store) -> None:
    store.add(pack_with_word())
    with pytest.raises(PackExistsError, match="--replace"):
        store.add(pack_with_word(word="two"))
    assert public_and_hidden_word(store) == ("one", "one")
    store.add(pack_with_word(word="two"), replace=True)
    assert public_and_hidden_word(store) == ("two", "two")


def test_replacing_leaves_nothing_of_the_old_pack(store: Store, home: Home) -> None:
    store.add(pack_with_word(ids=("a", "b", "gone")))
    store.add(pack_with_word(name="mine2"))
    store.add(pack_with_word(word="two"), replace=True)
    names = sorted(path.name.partition("@")[0] for path in (home.data / "sealed").iterdir())
    assert names == ["mine", "mine2"]
    with pytest.raises(UnknownProblemError):
        store.unseal("mine/gone")


def test_two_imports_at_once_leave_one_whole_pack(home: Home) -> None:
    def import_often(word: str) -> None:
        for _ in range(15):
            Store(home).add(pack_with_word(word=word), replace=True)

    with ThreadPoolExecutor() as pool:
        for future in [pool.submit(import_often, word) for word in ("one", "two")]:
            future.result()
    public, hidden_word = public_and_hidden_word(Store(home))
    assert public == hidden_word
    assert len(list((home.data / "sealed").glob("mine@*"))) == 1


def test_a_quick_replacement_is_seen_by_a_reader_that_has_the_old_one(store: Store, home: Home) -> None:
    reading_store = Store(home)
    for number in range(20):
        store.add(pack_with_word(word=str(number)), replace=True)
        assert public_and_hidden_word(reading_store) == (str(number), str(number))


@pytest.mark.parametrize("step", ["_write_hidden_part", "sync_folder", "write_atomically"])
@pytest.mark.parametrize("failing_call", [1, 2])
def test_a_failure_between_the_steps_of_replacing_keeps_the_old_pack(
    step: str, failing_call: int, store: Store, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(pack_with_word())
    real: Callable[..., None] = getattr(store_module, step)
    calls = 0

    def failing(*args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == failing_call:
            raise OSError(28, "No space left on device")
        real(*args)

    monkeypatch.setattr(store_module, step, failing)
    if failing_call == 1 or step == "_write_hidden_part":
        with pytest.raises(StoreError, match="No space left"):
            store.add(pack_with_word(word="two"), replace=True)
        assert public_and_hidden_word(Store(home)) == ("one", "one")
        assert len(list((home.data / "sealed").iterdir())) == 1
    else:
        store.add(pack_with_word(word="two"), replace=True)
        assert public_and_hidden_word(Store(home)) == ("two", "two")


def test_a_failure_after_the_new_pack_is_visible_keeps_the_new_one(
    store: Store, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(pack_with_word())

    def failing(folder: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(atomic, "sync_folder", failing)
    with pytest.raises(StoreError, match="Input/output"):
        store.add(pack_with_word(word="two"), replace=True)
    assert public_and_hidden_word(Store(home)) == ("two", "two")


def test_a_failed_first_import_leaves_no_pack(store: Store, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module, "write_atomically", failing)
    with pytest.raises(StoreError, match="No space left"):
        store.add(pack_with_word())
    assert store.pack_names() == list(BUILT_IN)
    assert list((home.data / "sealed").iterdir()) == []


def test_a_built_in_pack_can_not_be_overwritten(store: Store) -> None:
    with pytest.raises(PackExistsError, match="built-in"):
        store.add(pack_with_word(name="starter"), replace=True)
    assert len(store.public_pack("starter").problems) > 2


@pytest.mark.parametrize(
    "ref",
    ["mine", "mine/", "/a", "", "mine/c", "mine/A", "other/a", "mine/../a", "../packs/mine/a", "mine/a/b", "x\0/a"],
)
def test_an_unknown_problem_is_named_in_a_sentence(ref: str, store: Store) -> None:
    store.add(pack_with_word())
    with pytest.raises(UnknownProblemError):
        store.unseal(ref)


def test_an_unknown_pack_lists_the_known_ones(store: Store) -> None:
    store.add(pack_with_word())
    with pytest.raises(UnknownProblemError, match=r"there is no pack 'other'; there are: starter, .*, mine"):
        store.public_pack("other")
    with pytest.raises(UnknownProblemError):
        store.public_pack("x" * 5000)


def test_a_lost_hidden_part_says_what_to_do(store: Store, home: Home) -> None:
    store.add(pack_with_word())
    next((home.data / "sealed").rglob("a.json")).unlink()
    with pytest.raises(UnknownProblemError, match="import the pack again"):
        store.unseal("mine/a")


@pytest.mark.parametrize("content", [b"", b"{", b'{"sealed": "x"}', b"[]", b"\xff"])
def test_a_damaged_file_is_named(content: bytes, store: Store, home: Home) -> None:
    store.add(pack_with_word())
    file = home.data / "packs" / "mine.json"
    file.write_bytes(content)
    with pytest.raises(DatasetError, match=r"mine\.json"):
        store.public_pack("mine")
