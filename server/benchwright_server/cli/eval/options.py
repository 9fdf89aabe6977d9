"""Options of `benchwright eval` and its subcommands, in groups of what goes together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import JsonValue

from benchwright_problems.partial_date import require_partial_date
from benchwright_server.errors import ServerError
from benchwright_subjects.agent_mode import AGENT_MODE_SUBJECT

Pack = Annotated[str, typer.Option("--pack", help="The pack whose problems are asked.")]
Problems = Annotated[
    list[str] | None, typer.Option("--problem", help="A name, or a pattern such as 'cvdp_*'; may be repeated.")
]
Think = Annotated[bool, typer.Option("--think", help="Ask for steps before the answer of a question.")]
KnowledgeCutoff = Annotated[
    str,
    typer.Option(
        metavar="DATE",
        help="The end of what the model was trained on, as YYYY-MM-DD or YYYY-MM; as Inspect knows it if not given.",
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="The model's endpoint, if not the provider's own.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Most tokens in one reply.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for logs and replies.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value, and no progress.")]


def check_knowledge_cutoff(date_text: str) -> None:
    """Refuse a --knowledge-cutoff that is no date.

    Raises:
        ServerError: The text is no date.
    """
    try:
        if date_text:
            require_partial_date(date_text)
    except ValueError as error:
        raise ServerError(f"--knowledge-cutoff: {error}.") from error


@dataclass(frozen=True)
class PromptOptions:
    """Options that choose the problems that are asked, and the prompt."""

    problem: Problems = None
    shots: Annotated[int, typer.Option(min=0, help="Solved questions to show before each one.")] = 0
    examples: Annotated[
        str, typer.Option(help="The pack whose validation split these come from; --pack if not given.")
    ] = ""
    think: Think = False
    prompts: Annotated[
        str, typer.Option(help="Whose prompts: benchwright, cvdp-1.1, cs-bench or quarch; benchwright if not given.")
    ] = ""
    template: Annotated[
        Path | None, typer.Option(help="A prompt of your own, with fields such as {{statement}} and {{reply}}.")
    ] = None
    refined: Annotated[
        Path | None,
        typer.Option(help="Refined statements from `eval refine`; asked too, as a variant of their own."),
    ] = None
    passages: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON Lines of `id` and `passages`, which are shown before each question."),
    ] = None
    python: Annotated[bool, typer.Option("--python", help="Let the model run Python scripts before it replies.")] = (
        False
    )
    seed: Annotated[
        int | None, typer.Option(help="Seed for the examples, the problems drawn by --limit, and the model's sampling.")
    ] = None

    @property
    def changes_prompt(self) -> bool:
        """True if problems are asked otherwise than by default."""
        return bool(
            self.shots or self.think or self.prompts or self.template or self.refined or self.passages or self.python
        )

    def refuse_exclusive(self) -> None:
        """Refuse prompts that exclude each other.

        Raises:
            ServerError: Names the options.
        """
        if self.prompts and self.template:
            raise ServerError("--prompts and --template both say how to ask; leave one out.")
        if self.template and (self.passages or self.python):
            raise ServerError("--passages and --python go with our prompts and those of papers; leave out --template.")

    def task_arguments(self) -> dict[str, JsonValue]:
        """The arguments of the task: only what was given."""
        option_values: dict[str, JsonValue] = {
            "problems": list(self.problem or []),
            "shots": self.shots,
            "examples": self.examples,
            "think": self.think,
            "prompts": self.prompts,
            "template": str(self.template.absolute()) if self.template else "",
            "refined": str(self.refined.absolute()) if self.refined else "",
            "passages": str(self.passages.absolute()) if self.passages else "",
            "python": self.python,
        }
        arguments: dict[str, JsonValue] = {name: value for name, value in option_values.items() if value}
        if self.seed is not None:
            arguments["seed"] = self.seed
        return arguments


@dataclass(frozen=True)
class SamplingOptions:
    """Options for the number of samples, and for how a model generates."""

    model: Annotated[str, typer.Option(help="PROVIDER/MODEL as Inspect names it, such as openai/gpt-5.")] = ""
    samples: Annotated[int, typer.Option(min=1, help="Samples per problem.")] = 1
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most this many problems.")] = None
    base_url: BaseUrl = None
    temperature: Annotated[float | None, typer.Option(min=0, help="Sampling temperature.")] = None
    max_tokens: MaxTokens = None
    knowledge_cutoff: KnowledgeCutoff = ""
    jobs: Annotated[int | None, typer.Option(min=1, help="Samples at a time.")] = None


@dataclass(frozen=True)
class AgentOptions:
    """Options of a model that works as an agent, and the place where it works."""

    agent: Annotated[bool, typer.Option("--agent", help="Let it work with tools instead of asking once.")] = False
    subject: Annotated[
        str, typer.Option(help="An agent that `benchwright subject add` has installed, such as codex; implies --agent.")
    ] = ""
    agent_command: Annotated[
        str, typer.Option(help="An agent of your own: a command for the sandbox's shell; {prompt} stands for the task.")
    ] = ""
    agent_place: Annotated[
        str, typer.Option(help="benchwright:DIR shows --agent-command the folder with its programs, as /agent.")
    ] = "benchwright"
    acp: Annotated[
        bool, typer.Option("--acp", help="--agent-command speaks the Agent Client Protocol, and gets the task by it.")
    ] = False
    refuse: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="A kind of tool that an agent speaking ACP gets no permission for, such as execute; may be repeated.",
        ),
    ] = None
    extension: Annotated[
        list[Path] | None,
        typer.Option(help="With --subject vscode-agent: a .vsix to install; may be repeated, first the measured one."),
    ] = None
    participant: Annotated[
        str,
        typer.Option(help="With --subject vscode-agent: the chat participant to ask, without @; agent mode if none."),
    ] = ""
    runs: Annotated[int, typer.Option(min=0, help="How often the agent may run the hidden tests.")] = 0

    @property
    def is_agent_chosen(self) -> bool:
        """True if an agent solves the problems."""
        return self.agent or bool(self.subject)

    @property
    def has_agent_only_option(self) -> bool:
        """True if an option is given that is for agents alone."""
        return bool(self.agent_command or self.runs or self.acp or self.refuse)

    @property
    def has_misplaced_editor_option(self) -> bool:
        """True if an option is given that is for the subject `vscode-agent` alone, and that is not the subject."""
        return bool(self.extension or self.participant) and self.subject != AGENT_MODE_SUBJECT

    def task_arguments(self) -> dict[str, JsonValue]:
        """The arguments of the task: only what was given."""
        arguments: dict[str, JsonValue] = {"runs": self.runs} if self.runs else {}
        if self.subject:
            arguments["subject"] = self.subject
        if self.agent_command:
            arguments["command"] = self.agent_command
        if ":" in self.agent_place or self.agent_command:
            arguments["place"] = self._place_with_absolute_folder()
        if self.acp:
            arguments["acp"] = True
        if self.refuse:
            arguments["refuse"] = list(self.refuse)
        if self.extension:
            arguments["extension"] = [str(file.absolute()) for file in self.extension]
        if self.participant:
            arguments["participant"] = self.participant
        return arguments

    def _place_with_absolute_folder(self) -> str:
        """The sandbox, its folder as an absolute path, since Inspect may look from elsewhere."""
        name, _, folder = self.agent_place.partition(":")
        return f"{name}:{Path(folder).absolute()}" if name == "benchwright" and folder else self.agent_place


@dataclass(frozen=True)
class LimitOptions:
    """Limits on what a sample may use."""

    time_limit: Annotated[int | None, typer.Option(min=1, help="Seconds per sample.")] = None
    token_limit: Annotated[int | None, typer.Option(min=1, help="Tokens per sample, input and output.")] = None
    message_limit: Annotated[int | None, typer.Option(min=1, help="Messages per sample.")] = None
    costs: Annotated[Path | None, typer.Option(help="Prices of models, a file that Inspect reads.")] = None
    cost_limit: Annotated[float | None, typer.Option(min=0, help="US dollars per sample; needs --costs.")] = None
    budget: Annotated[
        float | None, typer.Option(min=0, help="US dollars that this command may spend; needs --costs.")
    ] = None


@dataclass(frozen=True)
class PlanOptions:
    """The part of a study's plan to carry out."""

    study: Annotated[
        str, typer.Option(help="A study file, or the id of a study: ask what its plan wants of models and agents.")
    ] = ""
    condition: Annotated[list[str] | None, typer.Option(help="Only this condition of the study; may be repeated.")] = (
        None
    )


@dataclass(frozen=True)
class TaskOptions:
    """All of the options that decide what is asked."""

    pack: str
    prompting: PromptOptions
    sampling: SamplingOptions
    agent: AgentOptions
    limits: LimitOptions
    plan: PlanOptions
    map_only: bool

    @property
    def task_name(self) -> Literal["answer", "agent", "map_prompt"]:
        """Of the Inspect task."""
        return "map_prompt" if self.map_only else "agent" if self.agent.is_agent_chosen else "answer"

    def refuse_missing_or_exclusive(self) -> None:
        """Refuse options that are missing or exclude each other.

        Raises:
            ServerError: Names them.
        """
        if self.plan.study:
            self._refuse_options_of_plan()
            return
        for option, value in (("--pack", self.pack), ("--model", self.sampling.model)):
            if not value:
                raise ServerError(f"Give {option}. `benchwright eval --help` shows all options.")
        if self.plan.condition:
            raise ServerError("--condition needs --study.")
        if self.agent.has_agent_only_option and not self.agent.is_agent_chosen:
            raise ServerError("--agent-command, --acp, --refuse and --runs need --agent.")
        if self.agent.has_misplaced_editor_option:
            raise ServerError("--extension and --participant need --subject vscode-agent.")
        if self.map_only and self.prompting.refined is not None:
            raise ServerError("--map judges nothing, so there is nothing to compare; leave out --refined.")
        if self.map_only and (self.prompting.passages or self.prompting.python):
            raise ServerError("--map sends your own prompt alone; leave out --passages and --python.")
        if self.map_only and self.prompting.template is None:
            raise ServerError("--map needs --template, the prompt for each problem.")
        check_knowledge_cutoff(self.sampling.knowledge_cutoff)
        self.prompting.refuse_exclusive()
        if self.agent.is_agent_chosen and self.prompting.changes_prompt:
            options = "--shots, --think, --prompts, --template, --refined, --passages and --python"
            raise ServerError(f"{options} are for single replies; leave them out with --agent and --subject.")

    def _refuse_options_of_plan(self) -> None:
        """Refuse what a study's plan decides."""
        decided_options = {
            "--pack": bool(self.pack),
            "--problem": bool(self.prompting.problem),
            "--samples": self.sampling.samples != 1,
            "--limit": self.sampling.limit is not None,
            "--seed": self.prompting.seed is not None,
            "--knowledge-cutoff": bool(self.sampling.knowledge_cutoff),
            "--agent": self.agent.agent,
            "--runs": self.agent.runs != 0,
            "--acp": self.agent.acp,
            "--refuse": bool(self.agent.refuse),
            "--extension": bool(self.agent.extension),
            "--participant": bool(self.agent.participant),
            "--shots": self.prompting.shots != 0,
            "--think": self.prompting.think,
            "--prompts": bool(self.prompting.prompts),
            "--template": self.prompting.template is not None,
            "--refined": self.prompting.refined is not None,
            "--map": self.map_only,
            "--time-limit": self.limits.time_limit is not None,
        }
        if wrong := [option for option, is_given in decided_options.items() if is_given]:
            raise ServerError(f"With --study, the study file decides; leave out {', '.join(wrong)}.")

    def task_arguments(self) -> dict[str, JsonValue]:
        """Of the Inspect task, without the sandbox."""
        arguments: dict[str, JsonValue] = (
            {} if self.plan.study else {"pack": self.pack, **self.prompting.task_arguments()}
        )
        if self.map_only:
            arguments.pop("seed", None)
        elif self.sampling.knowledge_cutoff:
            arguments["knowledge_cutoff"] = self.sampling.knowledge_cutoff
        return arguments | self.agent.task_arguments()
