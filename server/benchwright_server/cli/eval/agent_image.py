"""`benchwright eval agent-image`: agents in images of their own, as CVDP runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import counted
from benchwright_problems.storage.store import Store
from benchwright_server.cli.eval.options import Json, Pack, Problems
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable


def agent_image(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="A Docker image that reads /code/prompt.json.")],
    pack: Pack,
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for what agents get and leave.")],
    problem: Problems = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples per problem.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="Containers at a time.")] = 1,
    network: Annotated[str, typer.Option(help="Docker's network for it; bridge lets it reach a model.")] = "none",
    variables: Annotated[
        list[str] | None, typer.Option("--env", help="An environment variable to pass on; may be repeated.")
    ] = None,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds per sample.")] = 3600,
    json_output: Json = False,
) -> None:
    """Let an agent in a Docker image of its own work on designs, as CVDP's `-g IMAGE` does.

    Each sample gets /code/prompt.json and the folders docs, rtl, verif and rundir; the changes become a patch, and
    DIR/answers.jsonl holds the answers for `benchwright grade`. What is finished in DIR is not run again.

    Exit status: 0 every agent ended with 0, 1 some did not, 2 nothing could be run.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval agent-image`", "baselines"):
        from benchwright_subjects.agents.agent_image import AgentImage, run_image_on_problems
        from benchwright_subjects.samples import select_problems

        problems = select_problems(Store(Home.from_environment()), pack, problem or "")
        container_options = AgentImage(image, network, tuple(variables or ()), time_limit)
        with explain_unwritable(folder):
            agent_runs = run_image_on_problems(container_options, problems, folder, samples, jobs)
    ended_count = sum(agent_run.exit_code == 0 for agent_run in agent_runs)
    if json_output:
        print_json(
            {
                "image": image,
                "ended": ended_count,
                "runs": [agent_run.model_dump(mode="json") for agent_run in agent_runs],
                "answers": str(folder / "answers.jsonl"),
            }
        )
    else:
        table = TerminalTable("problem", "sample", "exit status", "seconds", "changed", "not asked for")
        for agent_run in agent_runs:
            status = "time limit" if agent_run.exit_code is None else str(agent_run.exit_code)
            uncounted = ", ".join(agent_run.uncounted)
            agent_run_cells = (f"{agent_run.seconds:.1f}", str(len(agent_run.changed)), uncounted)
            table.add_row(agent_run.problem, str(agent_run.sample), status, *agent_run_cells)
        table.print_rows()
        console.print(
            f"{ended_count} of {counted(len(agent_runs), 'agent')} ended with 0. Next: benchwright grade {pack} "
            f"--responses {folder / 'answers.jsonl'} --solver {image} --out graded",
            soft_wrap=True,
        )
    raise typer.Exit(0 if ended_count == len(agent_runs) else 1)


def agent_image_template(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
) -> None:
    """Write the files of a base image with open-source tools, and of an agent's image on it."""
    with exit_on_expected_error(), explain_missing_extra("`benchwright eval agent-image-template`", "baselines"):
        from benchwright_subjects.agents.agent_image import write_image_template

        with explain_unwritable(folder):
            write_image_template(folder)
    console.print(f"{folder} has Dockerfile-base, Dockerfile and agent.py.")
