"""CVDP's prompts: structure and meaning of its own, in our words.

A system message of three parts (the folders of a project; what the category asks for; JSON schemas, if more than one
file is expected or an answer about code) and a request (each given file, the task, the form of the reply).
"""

from __future__ import annotations

import json

from benchwright_problems.category import Category
from benchwright_problems.problem import Problem
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import ModelPrompt, parts_with_figures

_FOLDERS = """You are a helpful assistant.
A project has these folders:

    - rtl/*   : files with RTL code.
    - verif/* : files that verify whether the RTL code is correct.
    - docs/*  : files that document the project, such as block guides, RTL plans and verification plans.

If you generate a file, give its name with the folder in which it belongs.
"""
_GUIDANCE = {
    Category.COMPLETION: "the RTL code that the requirements ask for",
    Category.SPEC_TO_RTL: "the RTL code into which the specification is translated",
    Category.MODIFICATION: "the RTL code, modified as the requirements say",
    Category.MODULE_REUSE: "the RTL code into which the specification is translated, which instantiates the modules"
    " properly and reuses the components",
    Category.RTL_CORRESPONDENCE: "a verbatim quotation: of the specification that corresponds to the RTL code, or of"
    " the RTL source code that corresponds to the specification, whichever was not given",
    Category.IMPROVEMENT: "improved RTL code, which resolves the lint issues or improves power or performance",
    Category.TESTBENCH_CORRESPONDENCE: "a verbatim quotation: of the testbench code that corresponds to the test plan,"
    " or of the test plan that corresponds to the testbench code, whichever was not given",
    Category.RTL_QUESTION: "a detailed answer to the question about the RTL code",
    Category.TESTBENCH_QUESTION: "a detailed answer to the question about the testbench",
    Category.STIMULUS: "the testbench code that generates the stimuli of the test plan",
    Category.CHECKER: "the testbench code that does the checks of the test plan",
    Category.ASSERTION: "the assertions that the test plan asks the testbench for, without an explanation. If the file"
    " that your reply is saved to was given, reply with all of that file and the assertions in it, and change nothing"
    " else, because your reply replaces it",
    Category.BUG_FIX: "the RTL code after debugging, with the bug fixed",
}
_SCHEMAS = """
Reply in one of these JSON schemas:
{ "code": [{ "<name>" : "<code>"}] }
or
{ "response": "<response>" }
The reply is JSON: keys and values have double quotes, and quotes and newlines inside values are escaped."""


def _prompt_if_covered(problem: Problem) -> ModelPrompt | None:
    if problem.category is None or problem.public.tree is not None:
        return None
    expected_paths = [] if problem.category.is_comprehension else list(problem.public.expected)
    guidance = f"This problem is of the category '{problem.category.label}'. Reply only with"
    system = f"{_FOLDERS}\n{guidance} {_GUIDANCE[problem.category]}.\n"
    if len(expected_paths) != 1:
        system += _SCHEMAS
    file_blocks = (
        f"\nThe file {path} has this content:\n```\n{text}\n```" for path, text in problem.public.files.items()
    )
    user = f"{''.join(file_blocks)}\nGive one answer to this request: {problem.public.statement}\n"
    return ModelPrompt(system, parts_with_figures(user + _reply_form(problem, expected_paths), problem.public.figures))


def _reply_form(problem: Problem, expected_paths: list[str]) -> str:
    if len(expected_paths) == 1:
        return f"Reply with plain text and no JSON. Your reply is saved as it is to: {expected_paths[0]}.\n"
    if expected_paths:
        return f"Name the files: {expected_paths}.\n"
    return 'Reply in this format: { "response": "<your answer here>" }\n'


def _answer_text_in_reply(problem: Problem, reply: str) -> str:
    """The text in the requested JSON object; the whole reply where there is none."""
    if problem.category is None or not problem.category.is_comprehension:
        return reply
    start, end = reply.find("{"), reply.rfind("}")
    try:
        # Models write line ends into strings as they are.
        parsed_reply = json.loads(reply[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return reply
    text = parsed_reply.get("response") if isinstance(parsed_reply, dict) else None
    return text if isinstance(text, str) else reply


CVDP = PromptSet(
    name="cvdp-1.1",
    source="https://github.com/NVlabs/cvdp_benchmark, src/model_helpers.py at 2ed01f5, src/dataset_processor.py",
    covers="problems with a category of CVDP that are no whole repositories",
    make_prompt=_prompt_if_covered,
    extract_answer=_answer_text_in_reply,
)
