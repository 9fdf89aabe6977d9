"""One run: a snapshot of the solver's files meets the hidden part inside a sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_foundation.untrusted_folder import disk_bytes_until_exceeding
from benchwright_harness.decision.criterion import MOST_LINES, OutputListener
from benchwright_harness.decision.decision import decide_verdict, rests_on_unsigned_results
from benchwright_harness.decision.design_waves import DesignWaveKeeper
from benchwright_harness.decision.report import StepReport, TestbenchOutput, parse_step_report
from benchwright_harness.decision.results import PYTEST_RESULTS, Execution, FailureWatch, read_results
from benchwright_harness.errors import BadHarnessError, HarnessError, SandboxUnavailableError
from benchwright_harness.execution.comparison import (
    ReadingComparison,
    comparison_step,
    read_comparison,
    tools_to_compare,
)
from benchwright_harness.execution.process import OutputReceiver, ProcessEnd, StepEnd
from benchwright_harness.execution.prover import loaded_prover
from benchwright_harness.execution.repository import files_of_run
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.plan import WORKDIR, HarnessPlan, PlanStep, make_plan
from benchwright_harness.plan.selection import ToolSelection, selections
from benchwright_harness.plan.testbench import PREDICTABLE
from benchwright_harness.plan.testbench_text import WORKSPACE
from benchwright_harness.sandbox import Sandbox, SandboxJob, WarmSandbox
from benchwright_harness.scan import hands_in_testbench, rule_by_refused_word, scan_solution, without_byte_order_mark
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.criterion import CriterionTable, Simulator
from benchwright_problems.equivalence import PROOF_FILE
from benchwright_problems.errors import PatchError
from benchwright_problems.problem import Problem, ScanAction, digest
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.verdict import Digests, Outcome, Reason, RunUsage, Verdict

_SECRET = secrets.token_bytes(32)
UNSIGNED = "The harness decides by what a simulation prints or how it ends, which a design can choose."
"""The remark of verdicts that passed without cocotb and without a channel of the testbench's own."""
ALL_IS_EDITABLE = "The solver may change every file of the repository, also those that run the tests."
"""The remark of verdicts on a repository of which nothing is kept as it was."""
NOT_COMPARED = "Several tools decide, and not even of the reference can it be said that they read one design."
"""The remark of verdicts that join tools whose readings could not be compared."""
UNCOMPARED = "Several tools decide, and nobody has compared what each of them reads in the design."
"""The remark of verdicts that join tools, from a sandbox without a supervisor or on a whole repository."""

_STANDSTILL_S = 8.0
"""Processor time that a simulation may take without simulated time advancing."""
_MIN_SILENCE_S, _SILENCE_SHARE = 5.0, 0.1
"""Processor time that it may take without waking a test: so much, or this share of the limit."""


async def run_harness(
    problem: Problem,
    solution: Mapping[str, bytes],
    *,
    sandbox: Sandbox,
    toolchain: Toolchain,
    log: OutputReceiver,
    selection: ToolSelection | None = None,
    limit_s: float | None = None,
    before_step: Callable[[int, int, str], None] = lambda number, total, service: None,
    before_folder_removal: Callable[[Path], None] = lambda folder: None,
    waves: DesignWaveKeeper | None = None,
) -> Verdict:
    """Run a design problem's harness on a solution.

    Cancelling this coroutine kills every process of the run and removes its folder.

    Args:
        problem: Problem with its hidden part.
        solution: Path → content. Only the files that the problem expects are taken; one that is
            missing here is missing in the run.
        sandbox: Sandbox that the steps run in.
        toolchain: Toolchain that they run with.
        log: Raw output of all steps, for the store: it may hold hidden text.
        selection: Versions of the tools; `None` for the first selection that fits the problem.
        limit_s: Wall time of one step in seconds; `None` for the problem's.
        before_step: Called before each step with its number from 1, their count, and its name.
        before_folder_removal: Called with the run's folder, as the last step left it, before it is removed.
        waves: Keeps the waveform of the solver's modules, if it is wanted.

    Returns:
        A verdict, also if the harness could not be run: its reason then says why.
    """
    start = time.monotonic()
    digests = Digests(problem=problem.public_digest, harness=problem.harness_digest)
    if limit_s is not None:
        limits = problem.limits.model_copy(update={"wall_s": limit_s})
        problem = problem.model_copy(update={"limits": limits})
    try:
        selection = selection or selections(problem)[0]
        plan = _plan_for_sandbox(problem, digests.harness, sandbox, selection)
        if not sandbox.runs_images and any(step.needs_image for step in plan.steps):
            raise SandboxUnavailableError(
                "the tests of this problem run in an image of their own",
                "use --sandbox docker, with an engine that has it; `benchwright doctor` names what it lacks",
            )
        toolchain.require_tools(plan.tools, selection)
        toolchain.require_packages(plan.packages)
        digests = digests.model_copy(update={"toolchain": toolchain.digest, "sandbox": sandbox.digest})
        run_files = await asyncio.to_thread(files_of_run, problem, solution)
        with _os_errors_as_unavailable():
            harness_run = _SolutionRun(
                run_files.problem,
                run_files.solution,
                run_files.other_files,
                plan,
                selection,
                sandbox,
                toolchain,
                log,
                waves,
            )
            verdict = await _verdict_with_secret_seed(harness_run, before_step, before_folder_removal)
            if verdict.reason is Reason.MACHINE_BUSY:
                log.write(f"--- {verdict.detail} It runs once more.\n".encode())
                verdict = await _verdict_with_secret_seed(harness_run, before_step, before_folder_removal)
    except PatchError as error:
        verdict = Verdict(reason=Reason.UNREADABLE, detail=f"The changes can't be applied: {error}.")
    except BadHarnessError as error:
        # The message may name hidden files.
        log.write(f"{error}\n".encode())
        verdict = Verdict(
            reason=error.reason,
            detail="the harness of this problem is broken",
            hint="Report it to the pack's authors; `benchwright problems check` shows them what is wrong.",
        )
    except HarnessError as error:
        verdict = Verdict(reason=error.reason, detail=str(error), hint=error.hint)
    return verdict.model_copy(update={"digests": digests, "wall_s": round(time.monotonic() - start, 3)})


async def _verdict_with_secret_seed(
    harness_run: _SolutionRun,
    before_step: Callable[[int, int, str], None],
    before_folder_removal: Callable[[Path], None],
) -> Verdict:
    """The verdict with random numbers that are this solution's own, unless the reference fails with them.

    Some hidden tests fail right designs for some numbers, and were published with others; some find a fault with the
    published numbers that others miss, so that a design which passes with its own meets those too.
    """
    plan, problem = harness_run.plan, harness_run.problem
    # Files that the fix of a repository deletes would still be there in a run of its reference.
    if plan.takes_seed and problem.hidden.reference and problem.public.tree is None:
        seed = _secret_seed(problem, harness_run.solution)
        verdict = await replace(harness_run, plan=plan.for_one_run(seed)).verdict(before_step, before_folder_removal)
        if verdict.outcome is Outcome.PASSED and plan.has_published_draws:
            harness_run.log.write(
                b"--- Passed with random numbers of its own; now with those of the published tests.\n"
            )
            return await replace(harness_run, plan=plan.for_one_run()).verdict(before_step, before_folder_removal)
        if verdict.reason is not Reason.TESTS_FAILED:
            return verdict
        reference = reference_solution_files(problem)
        if reference != harness_run.solution:
            reference_run = replace(
                harness_run, solution=reference, plan=plan.for_one_run(seed), log=io.BytesIO(), waves=None
            )
            reference_verdict = await reference_run.verdict(lambda number, total, service: None, lambda folder: None)
            if reference_verdict.outcome is Outcome.PASSED:
                return verdict
    verdict = await replace(harness_run, plan=plan.for_one_run()).verdict(before_step, before_folder_removal)
    if not plan.takes_seed or PREDICTABLE in verdict.remarks:
        return verdict
    return verdict.model_copy(update={"remarks": (*verdict.remarks, PREDICTABLE)})


def _secret_seed(problem: Problem, solution: Mapping[str, bytes]) -> str:
    """Seed that no other text shares, and nobody outside this process knows.

    The same files meet the same numbers, so that their waveform shows the run that was judged.
    """
    content: dict[str, JsonValue] = {path: hashlib.sha256(text).hexdigest() for path, text in solution.items()}
    return hashlib.blake2b(digest([problem.harness_digest, content]).encode(), digest_size=8, key=_SECRET).hexdigest()


@dataclass(frozen=True)
class _SolutionRun:
    """A solution that meets a problem's hidden part by a plan."""

    problem: Problem
    solution: Mapping[str, bytes]
    other_files: Mapping[str, bytes]
    """Files of a repository that are no text."""
    plan: HarnessPlan
    selection: ToolSelection
    sandbox: Sandbox
    toolchain: Toolchain
    log: OutputReceiver
    waves: DesignWaveKeeper | None

    async def verdict(
        self, before_step: Callable[[int, int, str], None], before_folder_removal: Callable[[Path], None]
    ) -> Verdict:
        """Scan the solution, execute the plan's steps, and decide on what they left behind.

        Args:
            before_step: See `run_harness`.
            before_folder_removal: See `run_harness`.
        """
        findings = scan_solution(self.problem, self.solution)
        for finding in findings:
            self.log.write(f"--- {finding}\n".encode())
        if refused := [finding for finding in findings if finding.action is ScanAction.REFUSE]:
            return Verdict(reason=Reason.REFUSED, detail=f"Not run: {refused[0]}.")
        if self.plan.proved_module:
            return await self._verdict_by_proof(tuple(f"{finding}." for finding in findings))
        first_job = self._job(self.plan.steps[0], Path("/"), None)
        async with _warm_or_new_folder_and_user(self.sandbox, first_job) as (code, user):
            run_files = {**self.other_files, **_given_and_solution_files(self.problem, self.solution)}
            with filled_run_folder(code, run_files, user):
                execution = await self._execute(replace(first_job, code=code, user=user), before_step)
                for oddity in execution.test_results.oddities:
                    self.log.write(f"--- {oddity}\n".encode())
                verdict = decide_verdict(self.plan.criterion, execution, self.problem, self.solution)
                usage = self._usage_of_run(code, execution)
                before_folder_removal(code)
                if self.waves is not None:
                    await asyncio.to_thread(self.waves.keep_waveform_if_left, code, execution.reports)
        if verdict.outcome is Outcome.PASSED:
            verdict = await self._verdict_after_comparing_readings(verdict, execution.reports)
        remarks = (
            *verdict.remarks,
            *self.plan.remarks,
            *self.toolchain.verdict_remarks,
            *(f"{finding}." for finding in findings),
            *execution.remarks,
            *execution.test_results.remarks,
            *((ALL_IS_EDITABLE,) if self.problem.public.tree is not None and not self.problem.public.editable else ()),
            *((UNSIGNED,) if rests_on_unsigned_results(verdict, self.plan, execution.reports) else ()),
        )
        tools = self.toolchain.versions(self.selection)
        return verdict.model_copy(update={"tools": tools, "usage": usage, "remarks": remarks})

    async def _verdict_by_proof(self, scan_remarks: tuple[str, ...]) -> Verdict:
        """Verdict on the solution by a comparison with the reference, for all inputs.

        Args:
            scan_remarks: Those of the scan.
        """
        if not self.problem.hidden.reference:
            raise BadHarnessError(f"{PROOF_FILE}: there is no reference to compare with")
        verdict = await loaded_prover()(
            self.problem,
            _given_and_solution_files(self.problem, reference_solution_files(self.problem)),
            _given_and_solution_files(self.problem, self.solution),
            self.plan.proved_module,
            sandbox=self.sandbox,
            toolchain=self.toolchain,
            log=self.log,
        )
        tools = self.toolchain.versions(self.selection)
        all_remarks = (*verdict.remarks, *self.toolchain.verdict_remarks, *scan_remarks)
        return verdict.model_copy(update={"tools": tools, "remarks": all_remarks})

    async def _verdict_after_comparing_readings(self, verdict: Verdict, reports: Sequence[StepReport]) -> Verdict:
        """A passing verdict, but undecided if its tools read the design, but not the reference, differently."""
        tools = tools_to_compare(self.problem, self.plan, reports)
        if not tools:
            return verdict
        if not self.sandbox.supervises or self.problem.public.tree is not None:
            return verdict.model_copy(update={"remarks": (*verdict.remarks, UNCOMPARED)})
        comparison = await self._compare_readings(tools, self.solution)
        if not comparison.complaint:
            return verdict
        self.log.write(f"--- {comparison.complaint}\n".encode())
        reference = reference_solution_files(self.problem)
        reference_comparison = comparison
        if self.problem.hidden.reference and reference != self.solution:
            reference_comparison = await self._compare_readings(tools, reference)
        if comparison.is_starved or reference_comparison.is_starved:
            detail = f"Other programs kept {' and '.join(tools)} from being compared."
            return Verdict(reason=Reason.MACHINE_BUSY, detail=detail)
        if self.problem.hidden.reference and comparison.is_excused_by(reference_comparison):
            return verdict.model_copy(update={"remarks": (*verdict.remarks, NOT_COMPARED)})
        return Verdict(
            reason=Reason.TOOLS_DISAGREE,
            detail=f"{' and '.join(tools)} do not read one design: {comparison.complaint}."
            if comparison.difference
            else f"Whether {' and '.join(tools)} read one design can't be said: {comparison.unread}.",
            hint="Write this part so that every tool reads it in the same way.",
        )

    async def _compare_readings(self, tools: Sequence[str], solution: Mapping[str, bytes]) -> ReadingComparison:
        run_files = _given_and_solution_files(self.problem, solution)
        step = comparison_step(tools, self.plan, run_files)
        output = io.BytesIO()
        user = self.sandbox.new_user()
        code = new_run_folder()
        with filled_run_folder(code, run_files, user):
            job = _job(self.problem, step, self.selection, self.toolchain, code, user)
            # The copies that are compared are nobody's submission.
            job = replace(job, env={**job.env, "BENCHWRIGHT_SUBMITTED": ""})
            step_end = await self.sandbox.run(job, output)
        return read_comparison(output.getvalue(), is_starved=step_end.end is ProcessEnd.STARVED)

    async def _execute(self, first_job: SandboxJob, before_step: Callable[[int, int, str], None]) -> Execution:
        """Run the steps in the folder of the first, up to the first that fails."""
        code_folder, user_id = first_job.code, first_job.user
        argv: Sequence[str] = ()
        step_end = StepEnd(ProcessEnd.EXITED, 0, 0.0)
        watch = FailureWatch(self.log)
        listener = OutputListener(self.plan.criterion, watch)
        reports: list[StepReport] = []
        memory_bytes, waited_s = 0, 0.0
        remarks: dict[str, None] = {}
        for number, step in enumerate(self.plan.steps, 1):
            argv = step.argv
            before_step(number, len(self.plan.steps), step.service)
            listener.begin_step()
            self.log.write(f"--- {step.service}: {' '.join(argv)}\n".encode())
            job = first_job if number == 1 else self._job(step, code_folder, user_id)
            step_end = await self.sandbox.run(job, listener)
            memory_bytes, waited_s = max(memory_bytes, step_end.memory_bytes), waited_s + step_end.waited_s
            remarks |= dict.fromkeys(step_end.remarks)
            if step_end.reports:
                reports.append(parse_step_report(step_end.reports))
            if step_end.end is not ProcessEnd.EXITED or step_end.exit_code != 0:
                break
        return Execution(
            argv=argv,
            step_end=step_end,
            output=await asyncio.to_thread(self._deciding_output, code_folder, reports, listener),
            watch=watch,
            reports=reports,
            test_results=read_results(code_folder / "rundir", reports),
            memory_bytes=memory_bytes,
            waited_s=waited_s,
            remarks=tuple(remarks),
        )

    def _deciding_output(
        self, code_folder: Path, reports: Sequence[StepReport], listener: OutputListener
    ) -> TestbenchOutput | None:
        """The lines to which the criterion's patterns apply; None if there are none."""
        criterion = self.plan.criterion
        testbench_output = next((report.testbench_output for report in reports if report.testbench_output), None)
        has_ended = testbench_output is None or testbench_output.ended
        if criterion.table is None or criterion.table.file is None:
            if not criterion.reads_output:
                return testbench_output
            printed = listener.testbench_output
            return printed.model_copy(update={"ended": has_ended}) if printed else None
        if criterion.is_testbench and testbench_output is None and listener.testbench_output is None:
            return None
        try:
            content = read_plain_file(code_folder / "rundir", criterion.table.file, self.problem.limits.file_mb << 20)
        except (OSError, NotPlainFileError, FileTooLargeError):
            return TestbenchOutput(ended=has_ended)
        lines = tuple(content.decode("utf-8", "replace").splitlines()[:MOST_LINES])
        return TestbenchOutput(lines=lines, results=lines, ended=has_ended)

    def _job(self, step: PlanStep, code_folder: Path, user_id: int | None) -> SandboxJob:
        job = _job(self.problem, step, self.selection, self.toolchain, code_folder, user_id)
        return job if self.waves is None else replace(job, env=self.waves.with_wave_variables(self.problem, job.env))

    def _usage_of_run(self, run_path: Path, execution: Execution) -> RunUsage:
        reports = execution.reports
        return RunUsage(
            folder_bytes=disk_bytes_until_exceeding(run_path, self.problem.limits.folder_mb << 20),
            memory_bytes=max((execution.memory_bytes, *(report.largest_bytes for report in reports))) or None,
            cpu_s=round(sum(report.cpu_s for report in reports), 3) if reports else None,
            waited_s=round(execution.waited_s, 3),
        )


async def warm_up_sandbox(
    problem: Problem, *, sandbox: Sandbox, toolchain: Toolchain, selection: ToolSelection
) -> None:
    """Start a sandbox ahead for the next run of a problem, if it is a `WarmSandbox`.

    Raises:
        HarnessError: The harness can't be run; a run reports that, too.
    """
    plan = _plan_for_sandbox(problem, problem.harness_digest, sandbox, selection).for_one_run()
    if isinstance(sandbox, WarmSandbox) and plan.steps:
        with _os_errors_as_unavailable():
            await sandbox.start_ahead(_job(problem, plan.steps[0], selection, toolchain, Path("/"), None))


@contextlib.contextmanager
def _os_errors_as_unavailable() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SandboxUnavailableError(
            f"this machine could not create the run's folder ({error.strerror or type(error).__name__})",
            "Check that the folder for temporary files has room and can be written to.",
        ) from error


def _plan_for_sandbox(problem: Problem, harness_digest: str, sandbox: Sandbox, selection: ToolSelection) -> HarnessPlan:
    # A site names images in variables.
    environ = tuple(os.environ.items()) if sandbox.runs_images else ()
    hidden = problem.hidden
    harness = _HarnessByDigest(harness_digest, hidden.harness, hidden.criterion, hidden.tests)
    return _cached_plan(harness, selection.simulator, environ, sandbox.supervises)


@dataclass(frozen=True)
class _HarnessByDigest:
    digest: str
    files: Mapping[str, str] = field(compare=False)
    table: CriterionTable | None = field(compare=False)
    tests: NamedTests | None = field(compare=False)


@lru_cache(maxsize=32)
def _cached_plan(
    harness: _HarnessByDigest, simulator: Simulator | None, environ: tuple[tuple[str, str], ...], is_supervised: bool
) -> HarnessPlan:
    return make_plan(
        harness.files,
        simulator,
        dict(environ),
        table=harness.table,
        tests=harness.tests,
        is_supervised=is_supervised,
    )


@contextlib.asynccontextmanager
async def _warm_or_new_folder_and_user(
    sandbox: Sandbox, first_job: SandboxJob
) -> AsyncIterator[tuple[Path, int | None]]:
    """An empty folder for a run, and its owner: those of a sandbox that waits for such a job, or new ones."""
    warm_folder = sandbox.claim_warm_folder_and_user_id(first_job) if isinstance(sandbox, WarmSandbox) else None
    if warm_folder is None:
        yield new_run_folder(), sandbox.new_user()
        return
    try:
        yield warm_folder
    finally:
        if isinstance(sandbox, WarmSandbox):
            await sandbox.end_claimed_if_unused(warm_folder[0])


def _job(
    problem: Problem,
    step: PlanStep,
    selection: ToolSelection,
    toolchain: Toolchain,
    code_folder: Path,
    user_id: int | None,
) -> SandboxJob:
    return SandboxJob(
        argv=step.argv,
        env=_step_environment(problem, step, toolchain, selection),
        code=code_folder,
        hidden_files=step.files,
        limits=problem.limits,
        toolchain=toolchain,
        user=user_id,
        channel=step.channel.replace(WORKSPACE, _readable_entries_text(problem)),
        image=step.image,
        build=step.build,
        networks=step.networks,
        needs_image=step.needs_image,
    )


def _readable_entries_text(problem: Problem) -> str:
    """The entries of the workspace that a testbench may read, as words."""
    names = {path.split("/")[0] for path in (*problem.public.files, *problem.public.expected)}
    return " ".join(f"/code/{name}" for name in sorted(names - {"rundir"}) if not re.search(r"\s", name))


def _step_environment(
    problem: Problem, step: PlanStep, toolchain: Toolchain, selection: ToolSelection
) -> dict[str, str]:
    tools = toolchain.environment(selection)
    paths = [tools.get("PYTHONPATH"), step.env.get("PYTHONPATH")]
    return {
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "BENCHWRIGHT_STANDSTILL_S": f"{_STANDSTILL_S:g}",
        "BENCHWRIGHT_SILENCE_S": f"{max(_MIN_SILENCE_S, _SILENCE_SHARE * problem.limits.wall_s):g}",
        "BENCHWRIGHT_COMPILE_S": str(problem.limits.compile_cpu_s),
        "BENCHWRIGHT_SUBMITTED": "\n".join(problem.public.expected),
        "BENCHWRIGHT_GIVEN": "\n".join(_given_paths(problem)),
        "BENCHWRIGHT_REFUSED": " ".join(f"{task}={rule}" for task, rule in rule_by_refused_word(problem).items()),
        **({} if hands_in_testbench(problem) else {"BENCHWRIGHT_OWNERSHIP": "1"}),
        "PYTEST_ADDOPTS": f"--junitxml={WORKDIR}/{PYTEST_RESULTS}",
        **step.env,
        **tools,
        **({"PYTHONPATH": ":".join(filter(None, paths))} if any(paths) else {}),
        "HOME": WORKDIR,
        "PWD": WORKDIR,
    }


def _given_paths(problem: Problem) -> list[str]:
    """The files that a run begins with; empty if all that is there was given, as in a repository."""
    if problem.public.tree is not None:
        return []
    return sorted({*problem.public.files, *problem.public.expected})


def starting_solution_files(problem: Problem) -> dict[str, bytes]:
    """The expected files as the solver finds them; those to be created are missing."""
    given_files = problem.public.files
    return {path: given_files[path].encode() for path in problem.public.expected if path in given_files}


def reference_solution_files(problem: Problem) -> dict[str, bytes]:
    """The expected files of the reference; what it leaves alone stays as the solver finds it."""
    return starting_solution_files(problem) | {path: text.encode() for path, text in problem.hidden.reference.items()}


def _given_and_solution_files(problem: Problem, solution: Mapping[str, bytes]) -> dict[str, bytes]:
    expected_paths = set(problem.public.expected)
    given_files = {path: text.encode() for path, text in problem.public.files.items() if path not in expected_paths}
    return given_files | {
        path: without_byte_order_mark(path, content) for path, content in solution.items() if path in expected_paths
    }
