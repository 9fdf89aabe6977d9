"""`benchwright eval`: models and agents on a pack's problems."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue
from rich.table import Table

from benchwright_harness.sandbox.choice import DEFAULT_SANDBOX
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_server.cli.output import err, out, plain_errors, print_json
from benchwright_server.errors import ServerError
from benchwright_subjects.kept_evals import folder_of, keep

if TYPE_CHECKING:
    # Inspect takes seconds to import: only these commands pay.
    from inspect_ai.log import EvalLog

    from benchwright_subjects.evaluation import Run

app = typer.Typer(
    help="Let models or agents solve a pack's problems; each sample becomes an attempt.", invoke_without_command=True
)

_INTERRUPTED = 130

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value, and no progress.")]
PackOption = Annotated[str, typer.Option("--pack", help="Whose problems.")]
ProblemOption = Annotated[
    list[str] | None, typer.Option("--problem", help="A name, or a pattern such as 'cvdp_*'; may be given often.")
]
Shots = Annotated[int, typer.Option(min=0, help="Solved questions to show before each one.")]
ExamplesOption = Annotated[
    str, typer.Option(help="The pack whose validation split these come from; --pack if not given.")
]
Think = Annotated[bool, typer.Option("--think", help="Ask for steps before the answer of a question.")]
TemplateOption = Annotated[
    Path | None, typer.Option(help="A prompt of your own, with places such as {{statement}} and {{reply}}.")
]
Seed = Annotated[
    int | None, typer.Option(help="Of examples, of the choice under --limit, and of the model's sampling.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for logs and replies.")]
SandboxOption = Annotated[str, typer.Option(help="bwrap, docker, or native, which runs without protection.")]
SolverName = Annotated[str, typer.Option("--solver", help="Who gave the replies.")]


@dataclass(frozen=True)
class _Asking:
    """How `answer` and the prompts of `export-prompts` ask."""

    problems: list[str] | None
    shots: int
    examples: str
    think: bool
    template: Path | None
    seed: int | None

    def arguments(self) -> dict[str, JsonValue]:
        facts: dict[str, JsonValue] = {
            "problems": list(self.problems or []),
            "shots": self.shots,
            "examples": self.examples,
            "think": self.think,
            "template": str(self.template.absolute()) if self.template else "",
        }
        given: dict[str, JsonValue] = {name: value for name, value in facts.items() if value}
        if self.seed is not None:
            given["seed"] = self.seed
        return given


@dataclass(frozen=True)
class _Options:
    """What does not go with everything."""

    pack: str
    samples: int
    limit: int | None
    seed: int | None
    agent: bool
    runs: int
    map_only: bool
    time_limit: int | None

    def check(self, asking: _Asking, agent_command: str) -> None:
        """Refuse what does not go together."""
        if (agent_command or self.runs) and not self.agent:
            raise ServerError("--agent-command and --runs need --agent.")
        if self.map_only and asking.template is None:
            raise ServerError("--map needs --template, the prompt to put to each problem.")
        if self.agent and (asking.shots or asking.think or asking.template):
            raise ServerError("--shots, --think and --template are for single replies; leave them out with --agent.")

    def check_of_study(self, asking: _Asking) -> None:
        """Refuse what a study's plan decides."""
        given = {
            "--pack": bool(self.pack),
            "--problem": bool(asking.problems),
            "--samples": self.samples != 1,
            "--limit": self.limit is not None,
            "--seed": self.seed is not None,
            "--agent": self.agent,
            "--runs": self.runs != 0,
            "--shots": asking.shots != 0,
            "--think": asking.think,
            "--template": asking.template is not None,
            "--map": self.map_only,
            "--time-limit": self.time_limit is not None,
        }
        if wrong := [option for option, is_given in given.items() if is_given]:
            raise ServerError(f"With --study the study file decides; leave out {', '.join(wrong)}.")


def add_to(parent: typer.Typer) -> None:
    """Add the commands to `benchwright`."""
    parent.add_typer(app, name="eval")


@app.callback()
def evaluate(
    context: typer.Context,
    pack: PackOption = "",
    model: Annotated[str, typer.Option(help="PROVIDER/MODEL as Inspect names it, such as openai/gpt-5.")] = "",
    samples: Annotated[int, typer.Option(min=1, help="Of each problem.")] = 1,
    problem: ProblemOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Most problems.")] = None,
    seed: Seed = None,
    output: Out = None,
    agent: Annotated[bool, typer.Option("--agent", help="Let it work with tools instead of asking once.")] = False,
    agent_command: Annotated[
        str, typer.Option(help="A command-line agent to start, in --agent-place; {prompt} stands for the task.")
    ] = "",
    agent_place: Annotated[
        str,
        typer.Option(
            help="benchwright, or benchwright:DIR with its programs; or a sandbox of Inspect's, such as "
            "docker:compose.yaml; local runs unprotected."
        ),
    ] = "benchwright",
    runs: Annotated[int, typer.Option(min=0, help="How often the agent may run the hidden tests.")] = 0,
    shots: Shots = 0,
    examples: ExamplesOption = "",
    think: Think = False,
    template: TemplateOption = None,
    map_only: Annotated[bool, typer.Option("--map", help="Keep the replies to --template and judge nothing.")] = False,
    base_url: Annotated[str | None, typer.Option(help="Where the model is reached, if not at its provider.")] = None,
    temperature: Annotated[float | None, typer.Option(min=0)] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Of one reply.")] = None,
    time_limit: Annotated[int | None, typer.Option(min=1, help="Of a sample, in seconds.")] = None,
    token_limit: Annotated[int | None, typer.Option(min=1, help="Of a sample, both ways.")] = None,
    message_limit: Annotated[int | None, typer.Option(min=1, help="Messages of a sample.")] = None,
    costs: Annotated[Path | None, typer.Option(help="What models cost, a file as Inspect reads it.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Samples at a time.")] = None,
    sandbox: SandboxOption = DEFAULT_SANDBOX,
    study: Annotated[
        str, typer.Option(help="A study file, or the id of a study: ask what its plan wants of models and agents.")
    ] = "",
    condition: Annotated[
        list[str] | None, typer.Option(help="Only this condition of the study; may be given often.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with an interrupted run: its .eval log, or the folder of it.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Let a model or an agent solve problems, run the hidden tests, and record each sample as an attempt.

    Exit status: 0 all samples have a verdict or wait for a judge, 1 some ended with an error, 130 interrupted.
    """
    if context.invoked_subcommand is not None:
        return
    with plain_errors():
        if resume is not None:
            _finish(_resume(resume, json_output), json_output)
        options = _Options(pack, samples, limit, seed, agent, runs, map_only, time_limit)
        asking = _Asking(problem, shots, examples, think, template, seed)
        if study:
            options.check_of_study(asking)
        else:
            _require(pack, "--pack")
            _require(model, "--model")
            if condition:
                raise ServerError("--condition needs --study.")
            options.check(asking, agent_command)
        arguments: dict[str, JsonValue] = {} if study else {"pack": pack, **asking.arguments()}
        if runs:
            arguments["runs"] = runs
        if agent_command:
            arguments |= {"command": agent_command, "place": _place(agent_place)}
            if agent_place == "local":
                err.print(
                    "The agent runs on this machine unprotected: it can read the hidden tests if it looks for them."
                )
        if not map_only:
            arguments["sandbox"] = sandbox
        from inspect_ai.model import GenerateConfigArgs

        from benchwright_subjects.evaluation import Run

        generate = GenerateConfigArgs()
        if temperature is not None:
            generate["temperature"] = temperature
        if max_tokens is not None:
            generate["max_tokens"] = max_tokens
        if map_only:
            arguments.pop("seed", None)
        run = Run(
            task="map_prompt" if map_only else "agent" if agent else "answer",
            arguments=arguments,
            model=model,
            out=_folder(output),
            samples=samples,
            limit=limit,
            seed=seed,
            base_url=base_url,
            generate=generate,
            time_s=time_limit,
            tokens=token_limit,
            messages=message_limit,
            costs=str(costs.absolute()) if costs else None,
            at_once=jobs,
            display="none" if json_output else None,
        )
        if study:
            from benchwright_server.cli.study_evaluation import Wanted, evaluate_study

            evaluate_study(Wanted(study, condition or [], model), run, _run_and_keep, json_output=json_output)
        _finish(_run(run), json_output)


@app.command("export-prompts")
def export_prompts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written as JSON Lines of `id` and `prompt`.")],
    pack: PackOption,
    problem: ProblemOption = None,
    shots: Shots = 0,
    examples: ExamplesOption = "",
    think: Think = False,
    template: TemplateOption = None,
    seed: Seed = None,
) -> None:
    """Write the prompts of a pack's problems, for a model that runs elsewhere."""
    from benchwright_subjects.exchange import write_prompts
    from benchwright_subjects.samples import Form

    with plain_errors():
        form = Form(problem or "", shots, examples, think, str(template) if template else "", seed or 0)
        asked, request = form.of(Store(Home.find()), pack)
        count = write_prompts(file, asked, request)
    err.print(f"{count} prompts written to {file}.", markup=False)


@app.command("import-responses")
def import_responses(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines of `id` and `completion`.")],
    pack: PackOption,
    solver: SolverName,
    problem: ProblemOption = None,
    think: Think = False,
    output: Out = None,
    sandbox: SandboxOption = DEFAULT_SANDBOX,
    json_output: Json = False,
) -> None:
    """Judge what a model elsewhere has replied. Several lines of one problem are several samples of it.

    Exit status: as of `benchwright eval`.
    """
    with plain_errors():
        from benchwright_subjects.evaluation import NO_MODEL, Run
        from benchwright_subjects.exchange import read_replies

        replies = read_replies(file, Store(Home.find()).public(pack).problems)
        arguments: dict[str, JsonValue] = {
            "pack": pack,
            "problems": list(problem or []),
            "think": think,
            "replies": str(file.absolute()),
            "solver": solver,
            "sandbox": sandbox,
        }
        run = Run(
            task="answer",
            arguments=arguments,
            model=NO_MODEL,
            out=_folder(output),
            samples=max(number for _, number in replies),
            display="none" if json_output else None,
        )
        _finish(_run(run), json_output)


def _run(run: Run) -> EvalLog:
    from benchwright_subjects.evaluation import evaluate as run_task

    with _quiet(run.display == "none"), _interruptible(run.out):
        return run_task(run)


def _run_and_keep(run: Run) -> EvalLog:
    log = _run(run)
    _keep(log)
    return log


def _resume(place: Path, json_output: bool) -> EvalLog:
    from benchwright_subjects.evaluation import newest_log
    from benchwright_subjects.evaluation import resume as go_on

    log = newest_log(place) if place.is_dir() else place
    with _quiet(json_output), _interruptible(log.parent):
        return go_on(log, "none" if json_output else None)


@contextlib.contextmanager
def _interruptible(folder: Path) -> Iterator[None]:
    """Tell how to go on after Ctrl+C; Inspect has written what was done by then."""
    try:
        yield
    except KeyboardInterrupt:
        err.print(f"Interrupted. Go on with: benchwright eval --resume {folder}", markup=False, soft_wrap=True)
        raise typer.Exit(_INTERRUPTED) from None


def _finish(log: EvalLog, json_output: bool) -> None:
    from benchwright_subjects.evaluation import summary

    facts = summary(log)
    file = Path(log.location)
    _keep(log)
    if json_output:
        print_json(facts)
    else:
        _print(facts)
    if log.status == "cancelled":
        err.print(f"Interrupted. Go on with: benchwright eval --resume {file}", markup=False, soft_wrap=True)
        raise typer.Exit(_INTERRUPTED)
    if facts["error"] or log.status != "success":
        if log.error is not None and not facts["samples"]:
            err.print(log.error.message, markup=False, soft_wrap=True)
        err.print(
            f"Samples without a verdict are asked again with: benchwright eval --resume {file}",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(1)
    raise typer.Exit(0)


def _keep(log: EvalLog) -> None:
    """Keep the log of a run for reports, and write the replies beside it."""
    from benchwright_subjects.evaluation import attempts_of, task_name, write_replies

    file = Path(log.location)
    if task_name(log) != "agent":
        write_replies(log, file.with_suffix(".responses.jsonl"))
    if attempts := attempts_of(log):
        try:
            keep(folder_of(Home.find()), file, attempts)
        except OSError as error:
            raise ServerError(f"The log {file} can't be kept in the data folder: {error.strerror}.") from error


def _print(facts: Mapping[str, JsonValue]) -> None:
    table = Table("samples", "passed", "failed", "undecided", "error", "score", "tokens in / out", "USD", box=None)
    score, cost = facts["score"], facts["cost_usd"]
    table.add_row(
        *(str(facts[name]) for name in ("samples", "passed", "failed", "undecided", "error")),
        f"{score:.3f}" if isinstance(score, float) else "–",
        f"{facts['input_tokens']} / {facts['output_tokens']}",
        f"{cost:.4f}" if isinstance(cost, float) else "–",
    )
    out.print(table)
    lengths = facts["length"]
    if isinstance(lengths, dict):
        told = [
            f"{name}s {length['mean']} tokens in the mean, {length['most']} at most"
            for name, length in (("prompt", lengths["prompt"]), ("reply", lengths["reply"]))
            if isinstance(length, dict)
        ]
        if told:
            out.print(f"Counted by tiktoken: {'; '.join(told)}.".replace("replys", "replies"))
    out.print(f"Log: {facts['log']}", markup=False, soft_wrap=True)


@contextlib.contextmanager
def _quiet(quiet: bool) -> Iterator[None]:
    """Keep what Inspect prints off standard output, which is for one JSON value."""
    with contextlib.redirect_stdout(sys.stderr) if quiet else contextlib.nullcontext():
        yield


def _place(words: str) -> str:
    """Where an agent works, its folder as Inspect finds it from wherever it looks."""
    name, _, folder = words.partition(":")
    return f"{name}:{Path(folder).absolute()}" if name == "benchwright" and folder else words


def _folder(output: Path | None) -> Path:
    return output or folder_of(Home.find())


def _require(value: str, option: str) -> None:
    if not value:
        raise ServerError(f"Give {option}. `benchwright eval --help` shows all options.")
