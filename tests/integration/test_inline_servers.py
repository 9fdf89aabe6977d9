"""Inline-completion servers as processes: what they see and are told, and what becomes of those that misbehave."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.dialects.copilot import CopilotDialect
from benchwright_subjects.inline.dialects.lsp import StandardDialect, Trigger
from benchwright_subjects.inline.dialects.tabby import TabbyDialect
from benchwright_subjects.inline.failure import EndedBy, ServerEnd, ServerFailure, SubjectError
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import OfferOutcome
from benchwright_subjects.inline.server.confinement import can_confine
from benchwright_subjects.inline.server.server_process import ServerLaunch
from benchwright_subjects.inline.server.session import UserSession, open_connection
from benchwright_subjects.inline.site_run import InlineSubject, PlayedSite, PlayRules, play_site
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.workplace import temporary_workplace

from ..support.models.inline_hearing import Hearing
from ..support.models.inline_packages import NotInstalledError, node_modules
from ..support.models.inline_site import CANARY, SITE
from ..support.models.tabby_endpoint import tabby_endpoint

SUPPORT = Path(__file__).parents[1] / "support" / "models"
RULES = PlayRules(timeout_s=20.0)
confines = pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")


@pytest.fixture
def hearing(tmp_path: Path) -> Iterator[Hearing]:
    with Hearing(tmp_path / "socket") as hearing:
        yield hearing


class Bench:
    """Plays `SITE` against doubles."""

    def __init__(self, folder: Path, hearing: Hearing) -> None:
        self.folder = folder
        self.hearing = hearing

    async def plain(
        self,
        mode: str,
        *arguments: str,
        rules: PlayRules = RULES,
        environ: Mapping[str, str] | None = None,
        passed_variables: tuple[str, ...] = (),
        secrets: tuple[Path, ...] = (),
    ) -> PlayedSite:
        program = str(SUPPORT / "plain_inline_server.py")
        command = (sys.executable, program, mode, str(self.hearing.socket_path), *arguments)
        return await self._play(
            ServerLaunch(command, passed_variables, secrets=secrets),
            StandardDialect(),
            AcceptPolicy.ALWAYS,
            rules,
            environ or {},
        )

    async def scripted(
        self,
        double_script: Mapping[str, Any],
        policy: AcceptPolicy,
        *,
        dialect: StandardDialect | None = None,
        rules: PlayRules = RULES,
    ) -> PlayedSite:
        file = self.folder / "script.json"
        file.write_text(json.dumps(double_script))
        command = (sys.executable, str(SUPPORT / "inline_double.py"), str(file), str(self.hearing.socket_path))
        return await self._play(ServerLaunch(command), dialect or StandardDialect(), policy, rules, {})

    async def _play(
        self,
        launch: ServerLaunch,
        dialect: StandardDialect,
        policy: AcceptPolicy,
        rules: PlayRules,
        environ: Mapping[str, str],
    ) -> PlayedSite:
        subject = InlineSubject(launch, dialect, {"PATH": "/usr/bin:/bin", **environ}, self.folder / "places")
        return await play_site(SITE, {"docs/notes.md": "Notes."}, subject, policy, rules)


@pytest.fixture
def bench(tmp_path: Path, hearing: Hearing) -> Bench:
    return Bench(tmp_path, hearing)


def says(*say_pairs: tuple[str, str], **settings: Any) -> dict[str, Any]:
    return {"rules": [{"after": text_before, "say": say} for text_before, say in say_pairs], **settings}


def failed(played_site: PlayedSite) -> ServerFailure | None:
    return None if played_site.failure is None else played_site.failure.failure


@pytest.mark.parametrize(
    ("mode", "failure"),
    [
        ("malformed", ServerFailure.MALFORMED),
        ("noise", ServerFailure.MALFORMED),
        ("huge", ServerFailure.FLOODED),
        ("notifying", ServerFailure.FLOODED),
        ("loud", ServerFailure.FLOODED),
        ("dies", ServerFailure.ENDED),
        ("error", ServerFailure.ERROR_ANSWER),
        ("elsewhere", ServerFailure.OUT_OF_RANGE),
        ("shapeless", ServerFailure.BAD_OFFER),
        ("writes", ServerFailure.CHANGED_FILES),
        ("good", None),
    ],
)
async def test_what_a_server_does_wrong_has_a_name(bench: Bench, mode: str, failure: ServerFailure | None) -> None:
    assert failed(await bench.plain(mode)) is failure
    assert not list((bench.folder / "places").iterdir())


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("dies", "The server ended by itself with exit status 3."),
        ("killed", "The server ended by itself with exit status 137, as after SIGKILL."),
        ("error", "Benchwright ended the server."),
        ("malformed", "Benchwright ended the server."),
        ("huge", "Benchwright ended the server after 8 MiB in a message."),
        ("notifying", "Benchwright ended the server after 20,000 notifications."),
        ("loud", "Benchwright ended the server after 64 MiB on standard error."),
        ("silent", "Benchwright ended the server after 2 requests of 0.3 s without an answer."),
    ],
)
async def test_a_failure_says_who_ended_the_server(bench: Bench, mode: str, sentence: str) -> None:
    played_site = await bench.plain(mode, rules=PlayRules(timeout_s=0.3 if mode == "silent" else 20.0))
    assert played_site.failure is not None
    assert played_site.failure.end is not None
    assert played_site.failure.end.sentence == sentence
    assert str(played_site.failure).endswith(sentence)


async def test_a_server_that_ends_at_its_start_and_one_that_leaves_files_are_told_apart(bench: Bench) -> None:
    with pytest.raises(SubjectError) as caught:
        await bench.plain("exits")
    assert caught.value.end == ServerEnd(ended_by=EndedBy.SERVER, exit_status=1)
    played_site = await bench.plain("writes")
    assert played_site.failure is not None
    assert played_site.failure.end is None


@confines
async def test_a_server_whose_sandbox_ends_is_not_blamed(bench: Bench) -> None:
    playing = asyncio.create_task(bench.plain("silent", rules=PlayRules(timeout_s=20)))
    place = str(bench.folder / "places")
    await asyncio.to_thread(bench.hearing.wait_for, "textDocument/inlineCompletion")
    outermost = min(
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [""])[0] == "bwrap" and any(place in word for word in process.info["cmdline"])
    )
    os.kill(outermost, signal.SIGKILL)
    played_site = await playing
    assert failed(played_site) is ServerFailure.ENDED
    assert played_site.failure is not None
    assert played_site.failure.end == ServerEnd(ended_by=EndedBy.SANDBOX, exit_status=137)


@confines
async def test_a_program_that_the_sandbox_can_not_start_has_not_ended_by_itself(bench: Bench, tmp_path: Path) -> None:
    subject = InlineSubject(
        ServerLaunch((str(tmp_path / "no-such-server"),)), StandardDialect(), {"PATH": "/usr/bin"}, tmp_path / "places"
    )
    with pytest.raises(SubjectError, match="No such file") as caught:
        await play_site(SITE, {}, subject, AcceptPolicy.NEVER, RULES)
    assert caught.value.end == ServerEnd(ended_by=EndedBy.SANDBOX, exit_status=1)


@pytest.mark.parametrize("mode", list(RefusalConsequence))
async def test_a_server_that_never_answers_is_given_up_after_two_questions(
    bench: Bench, mode: RefusalConsequence
) -> None:
    played_site = await bench.plain("silent", rules=PlayRules(mode, timeout_s=0.3))
    assert failed(played_site) is ServerFailure.NO_ANSWER
    assert [step.decision for step in played_site.steps] == [OfferOutcome.TIMED_OUT] * 2
    assert played_site.latencies_ms == [None, None]


@pytest.mark.parametrize(
    ("mode", "failure"),
    [
        ("early", ServerFailure.UNASKED_ANSWER),
        ("unsupported", ServerFailure.NOT_SUPPORTED),
        ("exits", ServerFailure.NOT_STARTED),
    ],
)
async def test_what_would_fail_everywhere_ends_the_run(bench: Bench, mode: str, failure: ServerFailure) -> None:
    environ = {"MODEL_TOKEN": "hunter2hunter2"}
    if failure is ServerFailure.UNASKED_ANSWER:
        assert failed(await bench.plain(mode)) is failure
        return
    with pytest.raises(SubjectError) as caught:
        await bench.plain(mode, environ=environ, passed_variables=("MODEL_TOKEN",))
    assert caught.value.failure is failure
    assert "hunter2" not in str(caught.value)


async def test_a_program_that_is_not_there_is_named(bench: Bench, tmp_path: Path) -> None:
    subject = InlineSubject(
        ServerLaunch((str(tmp_path / "no-such-server"),)), StandardDialect(), {"PATH": "/usr/bin"}, tmp_path / "places"
    )
    with pytest.raises(SubjectError) as caught:
        await play_site(SITE, {}, subject, AcceptPolicy.NEVER, RULES)
    assert caught.value.failure is ServerFailure.NOT_STARTED


async def test_a_server_can_apply_no_edit_by_itself(bench: Bench) -> None:
    played_site = await bench.plain("edits")
    assert failed(played_site) is None
    assert [answer["result"] for answer in bench.hearing.params_of("answer")][:1] == [{"applied": False}]
    assert played_site.document.text.startswith("module m(")


async def test_a_server_gets_no_variables_but_those_that_it_needs(bench: Bench) -> None:
    await bench.plain(
        "good", environ={"SECRET": "s", "BENCHWRIGHT_HOME": "/h", "MODEL_URL": "u"}, passed_variables=("MODEL_URL",)
    )
    (opened, *_) = bench.hearing.params_of("textDocument/didOpen")
    variables = opened["environment"].keys() - {"PWD", "LC_CTYPE"}
    assert variables == {"PATH", "HOME", "TMPDIR", "MODEL_URL"}


async def test_each_site_has_a_process_and_a_home_of_its_own(bench: Bench) -> None:
    await bench.plain("good")
    await bench.plain("good")
    bench.hearing.params_of("")
    assert len({message.home for message in bench.hearing.heard_messages}) == 2


@confines
async def test_a_server_writes_nowhere_but_in_its_own_folders(bench: Bench, tmp_path: Path) -> None:
    outside = [str(tmp_path / "outside"), str(SUPPORT / "outside"), "/tmp/outside"]
    played_site = await bench.plain("outside", *outside)
    assert played_site.steps[0].offer.strip() == "written:"
    assert not any(Path(path).exists() for path in outside)


@confines
async def test_a_server_sees_no_folder_with_secrets(bench: Bench, tmp_path: Path) -> None:
    sealed, other_site = tmp_path / "sealed", bench.folder / "places" / "1-other"
    for folder in (sealed, other_site):
        folder.mkdir(parents=True)
        (folder / "reference.sv").write_text(CANARY)
    places_folder = bench.folder / "places"
    peeks = [str(sealed), str(sealed / "reference.sv"), str(other_site)]
    played_site = await bench.plain("peeks", *peeks, secrets=(sealed, places_folder))
    assert played_site.steps[0].offer.strip() == "seen:"


@confines
async def test_a_daemon_does_not_outlive_its_site(bench: Bench) -> None:
    duration = f"4321.{time.time_ns() % 10**9}"
    await bench.plain("daemon", duration)
    end = time.monotonic() + 5
    while alive := [
        process for process in psutil.process_iter(["cmdline"]) if duration in (process.info["cmdline"] or ())
    ]:
        assert time.monotonic() < end, alive
        await asyncio.sleep(0.05)


async def test_no_server_is_ever_told_what_is_expected(bench: Bench) -> None:
    played_site = await bench.scripted(
        says((");", "assign y = a & b;")), AcceptPolicy.FIRST_LINE, rules=PlayRules(RefusalConsequence.ALONE)
    )
    bench.hearing.params_of("")
    messages_text = json.dumps([message.params for message in bench.hearing.heard_messages])
    assert CANARY not in messages_text
    assert "assign z" not in messages_text
    (start,) = bench.hearing.params_of("initialized")
    assert start["files"] == {"rtl/m.sv": SITE.text_before + SITE.text_after, "docs/notes.md": "Notes."}
    assert played_site.document.text.count("assign y") == 1


@pytest.mark.parametrize("policy", [AcceptPolicy.NEVER, AcceptPolicy.MATCHES, AcceptPolicy.ALWAYS])
async def test_what_is_refused_is_typed_line_by_line(bench: Bench, policy: AcceptPolicy) -> None:
    played_site = await bench.scripted(says((");", "assign y = a & c;")), policy)
    texts = {
        AcceptPolicy.NEVER: SITE.text_before + SITE.expected_text + SITE.text_after,
        AcceptPolicy.MATCHES: SITE.text_before + SITE.expected_text + SITE.text_after,
        AcceptPolicy.ALWAYS: SITE.text_before
        + SITE.expected_text.replace(f"a & b; // {CANARY}", "a & c;")
        + SITE.text_after,
    }
    assert played_site.document.text == texts[policy]
    assert bench.hearing.params_of("textDocument/didChange")[-1]["text"] == texts[policy]


async def test_the_command_of_an_accepted_item_is_executed_after_the_change(bench: Bench) -> None:
    command = {"title": "x", "command": "double.accepted", "arguments": ["id-1"]}
    items = [{"insertText": "assign y = a & b;", "command": command}]
    await bench.scripted({"rules": [{"after": ");", "items": items}]}, AcceptPolicy.ALWAYS)
    bench.hearing.params_of("")
    methods = [message.method for message in bench.hearing.heard_messages]
    assert bench.hearing.params_of("double.accepted") == [["id-1"]]
    assert methods.index("double.accepted") > methods.index("textDocument/didChange")


class TestCopilot:
    """The dialect of GitHub's server, against the double."""

    async def test_a_whole_acceptance(self, bench: Bench) -> None:
        command = {"title": "x", "command": "double.accepted", "arguments": ["id-1"]}
        completion_item = {"insertText": "assign y = a & b;", "command": command}
        edit_range = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 6}}
        next_edit = {"text": "/**/ module", "range": edit_range, "command": {**command, "arguments": ["id-2"]}}
        script = {"rules": [{"after": ");", "items": [completion_item]}], "next_edits": [next_edit, next_edit]}
        played_site = await bench.scripted(
            script,
            AcceptPolicy.ALWAYS,
            dialect=CopilotDialect(),
            rules=PlayRules(RefusalConsequence.ALONE, next_edits=True),
        )
        assert len(bench.hearing.params_of("checkStatus")) == 1
        assert [
            params["textDocument"]["uri"].endswith("/rtl/m.sv")
            for params in self._messages("textDocument/didFocus", bench)
        ]
        assert [params["item"]["insertText"] for params in self._messages("textDocument/didShowCompletion", bench)] == [
            "assign y = a & b;"
        ]
        assert bench.hearing.params_of("double.accepted") == [["id-1"], ["id-2"]]
        assert self._messages("textDocument/didPartiallyAcceptCompletion", bench) == []
        edit_requests = self._messages("textDocument/copilotInlineEdit", bench)
        assert [request["textDocument"]["version"] for request in edit_requests] == [3, 4]
        (shown_edit,) = self._messages("textDocument/didShowInlineEdit", bench)
        assert shown_edit["item"]["command"]["arguments"] == ["id-2"]
        assert (played_site.steps[0].next_edits, played_site.steps[0].next_edits_taken) == (2, 1)
        assert played_site.document.text.startswith("/**/ module m(")
        assert played_site.document.text_after == SITE.text_after

    @pytest.mark.parametrize(
        ("policy", "text", "expected_taken"),
        [
            (AcceptPolicy.FIRST_LINE, "module", 1),
            (AcceptPolicy.FIRST_LINE, "module\n", 0),
            (AcceptPolicy.MATCHES, "modulo", 0),
            (AcceptPolicy.SURVIVES_LINT, "modulo", 0),
        ],
    )
    async def test_a_next_edit_is_taken_by_the_policy(
        self, bench: Bench, policy: AcceptPolicy, text: str, expected_taken: int
    ) -> None:
        edit_range = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 6}}
        completion_item = {"insertText": "assign y = a & b;"}
        script = {
            "rules": [{"after": ");", "items": [completion_item]}],
            "next_edits": [{"text": text, "range": edit_range}],
        }
        rules = PlayRules(RefusalConsequence.ALONE, next_edits=True)
        played_site = await bench.scripted(script, policy, dialect=CopilotDialect(), rules=rules)
        assert (played_site.steps[0].next_edits, played_site.steps[0].next_edits_taken) == (1, expected_taken)

    async def test_a_next_edit_outside_the_document_ends_the_site(self, bench: Bench) -> None:
        edit_range = {"start": {"line": 90, "character": 0}, "end": {"line": 90, "character": 1}}
        completion_item = {"insertText": "assign y = a & b;"}
        script = {
            "rules": [{"after": ");", "items": [completion_item]}],
            "next_edits": [{"text": "x", "range": edit_range}],
        }
        rules = PlayRules(RefusalConsequence.ALONE, next_edits=True)
        played_site = await bench.scripted(script, AcceptPolicy.ALWAYS, dialect=CopilotDialect(), rules=rules)
        assert failed(played_site) is ServerFailure.OUT_OF_RANGE

    async def test_a_partial_acceptance_counts_utf_16_from_the_items_start(self, bench: Bench) -> None:
        line = SITE.text_before.count("\n")
        item_range = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 4}}
        completion_item = {"insertText": "    // 𝄞\n    assign y = a;", "range": item_range}
        script = {"rules": [{"after": ");", "items": [completion_item]}]}
        await bench.scripted(
            script, AcceptPolicy.FIRST_LINE, dialect=CopilotDialect(), rules=PlayRules(RefusalConsequence.ALONE)
        )
        (partly,) = self._messages("textDocument/didPartiallyAcceptCompletion", bench)
        assert partly["acceptedLength"] == 4 + 5

    async def test_without_a_sign_in_the_run_does_not_begin(self, bench: Bench) -> None:
        with pytest.raises(SubjectError, match="sign in with") as caught:
            await bench.scripted(says(status="NotSignedIn"), AcceptPolicy.NEVER, dialect=CopilotDialect())
        assert caught.value.failure is ServerFailure.NOT_SIGNED_IN
        assert bench.hearing.params_of("textDocument/didOpen") == []

    @staticmethod
    def _messages(method: str, bench: Bench) -> Sequence[Any]:
        return bench.hearing.params_of(method)


GITHUBS = "@github/copilot-language-server-linux-x64/copilot-language-server"


@pytest.fixture(scope="module")
def packages() -> Path:
    try:
        return node_modules()
    except NotInstalledError as error:
        pytest.skip(str(error))


@pytest.mark.nightly
async def test_tabbys_agent_completes_from_a_server_on_loopback(tmp_path: Path, packages: Path) -> None:
    with tabby_endpoint(lambda prefix: "assign y = a & b;") as tabby:
        settings_file = tmp_path / "profile" / ".tabby-client" / "agent" / "config.toml"
        settings_file.parent.mkdir(parents=True)
        settings_file.write_text(tabby.settings)
        command = ("node", str(packages / "tabby-agent" / "dist" / "cli.js"), "--lsp", "--stdio")
        launch = ServerLaunch(command, profile=tmp_path / "profile")
        subject = InlineSubject(launch, TabbyDialect(), os.environ, tmp_path / "places")
        played_site = await play_site(SITE, {}, subject, AcceptPolicy.FIRST_LINE, PlayRules(RefusalConsequence.ALONE))
    assert failed(played_site) is None
    assert played_site.steps[0].accepted == "assign y = a & b;"
    assert CANARY not in json.dumps(tabby.completion_requests)
    assert tabby.completion_requests[0]["segments"]["prefix"].endswith("output y, z);\n    ")


@confines
@pytest.mark.nightly
async def test_githubs_server_without_a_sign_in_says_so(tmp_path: Path, packages: Path) -> None:
    launch = ServerLaunch((str(packages / GITHUBS), "--stdio"), is_offline=True)
    subject = InlineSubject(launch, CopilotDialect(), os.environ, tmp_path / "places")
    with pytest.raises(SubjectError, match="NotSignedIn") as caught:
        await play_site(SITE, {}, subject, AcceptPolicy.NEVER, RULES)
    assert caught.value.failure is ServerFailure.NOT_SIGNED_IN


@confines
@pytest.mark.nightly
async def test_githubs_server_knows_the_messages_of_its_dialect(tmp_path: Path, packages: Path) -> None:
    """Not signed in, it refuses completions with its own error and takes the notifications without one."""
    dialect, document = (
        CopilotDialect(),
        DocumentVersion("file:///m.sv", SITE.text_before + SITE.text_after, len(SITE.text_before)),
    )
    with temporary_workplace(tmp_path / "places", {}, None) as site_folder:
        launch = ServerLaunch((str(packages / GITHUBS), "--stdio"), is_offline=True)
        async with open_connection(launch, dialect, site_folder, os.environ) as (connection, name):
            assert name.version == "1.539.0"
            talking = UserSession(connection, dialect, name, 20.0)
            talking.open_document(document)
            with pytest.raises(SubjectError) as caught:
                await talking.request_completions(document, Trigger.INVOKED)
            assert caught.value.code == 1000
            (offer,) = dialect.offers_in_result([{"insertText": "assign y = a;", "command": None}], document)
            dialect.report_shown(connection, offer)
            dialect.report_partly_accepted(connection, offer, 6)
            assert await dialect.request_next_edits(connection, document, 20.0) is None
            assert (await connection.request("checkStatus", {}, 20.0)).result == {"status": "NotSignedIn"}
