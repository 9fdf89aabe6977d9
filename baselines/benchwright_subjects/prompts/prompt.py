"""Prompts for models: the public part of a problem in the forms that CVDP, CS-Bench and QuArch ask in.

CVDP asks for one file as plain text, for several as JSON (`{"code": [{path: text}, …]}`), and for answers about code
as plain text (README_NONAGENTIC.md of https://github.com/NVlabs/cvdp_benchmark). CS-Bench and QuArch ask by format
and language. Nothing here takes a problem's hidden part.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_judges.formats import rules_of
from benchwright_judges.languages import wording_of_language
from benchwright_judges.reading.statements import ANSWER_LABEL
from benchwright_problems.problem import Answer, Figure, Problem, ProblemKind, Question
from benchwright_problems.repository.tree import Tree, folders_around

Part = str | Figure

_DESIGNER = (
    "You are an experienced hardware designer. You write synthesizable Verilog and SystemVerilog, and testbenches"
    " where they are asked for. You do exactly what the task says, and keep to the names, ports and files it gives."
)
_MOST_TREE_CHARACTERS = 200_000
"""Characters of a repository's files in one request."""
_READER = "You are an experienced hardware designer. You explain and document code precisely and briefly."


@dataclass(frozen=True)
class Turn:
    """A question that was answered before, shown as an example."""

    question: tuple[Part, ...]
    answer: str


@dataclass(frozen=True)
class ModelPrompt:
    """One request to a model."""

    system: str
    user: tuple[Part, ...]
    examples: tuple[Turn, ...] = ()

    @property
    def plain_text(self) -> str:
        """All of it as one text, figures by their names: what CVDP's export holds, and what is counted in tokens."""
        turns = [f"System: {self.system}"] if self.system else []
        for example in self.examples:
            turns += [f"User: {prompt_parts_text(example.question)}", f"Assistant: {example.answer}"]
        return "\n\n".join([*turns, f"User: {prompt_parts_text(self.user)}"])


def prompt_parts_text(prompt_parts: Sequence[Part]) -> str:
    """Parts as one text, with figures as Markdown image links."""
    return "".join(part if isinstance(part, str) else f"![{part.alt}]({part.path})" for part in prompt_parts)


def answer_prompt(problem: Problem, *, asks_for_steps: bool = False, examples: Sequence[Turn] = ()) -> ModelPrompt:
    """The request for an answer in one reply.

    Args:
        problem: Its hidden part is not used.
        asks_for_steps: Ask for steps before the answer; for questions only.
        examples: Shown before.
    """
    public = problem.public
    reply = reply_form_instruction(problem, has_steps=asks_for_steps)
    system = public.system_message or _system_message(problem)
    text = "\n\n".join(part for part in (full_statement(problem), given_files_text(problem), reply) if part)
    return ModelPrompt(system, parts_with_figures(text, public.figures), tuple(examples))


def agent_prompt(problem: Problem) -> ModelPrompt:
    """The request to work on a problem with tools."""
    if problem.public.tree is not None:
        text = f"{problem.public.statement.strip()}\n\n{_tree_instruction(problem)}"
    elif problem.kind is ProblemKind.DESIGN:
        path_list = "\n".join(f"- {path}" for path in problem.public.expected)
        text = f"{problem.public.statement.strip()}\n\nOnly these files count:\n{path_list}"
    else:
        text = f"{full_statement(problem)}\n\nOnly the file answer.md counts. {reply_form_instruction(problem)}"
    return ModelPrompt("", parts_with_figures(text, problem.public.figures))


def solved_example(problem: Problem, answer_key: Answer, *, has_steps: bool) -> Turn:
    """A solved question as an example.

    Args:
        problem: Question of the validation split.
        answer_key: Its answer.
        has_steps: True if the answer comes after its explanation.
    """
    question = _question_or_error(problem)
    phrases = wording_of_language(question.language)
    rules = rules_of(question.format)
    answer_text = rules.show_key(phrases, answer_key)
    if rules.is_single_value or has_steps:
        answer_text = f"{ANSWER_LABEL}: {answer_text}"
    if has_steps:
        answer_text = f"{answer_key.explanation.strip()}\n\n{answer_text}".lstrip()
    text = f"{full_statement(problem)}\n\n{reply_form_instruction(problem, has_steps=has_steps)}"
    return Turn(parts_with_figures(text, problem.public.figures), answer_text)


def full_statement(problem: Problem) -> str:
    """The task, with the choices of a question."""
    text = problem.public.statement.strip()
    question = problem.public.question
    if question is None or not question.choices:
        return text
    choices = "\n".join(f"{choice.letter}. {choice.text}" for choice in question.choices)
    return f"{text}\n\n{choices}"


def given_files_text(problem: Problem) -> str:
    """The files that are given, each between two lines that name it.

    Of a repository that is too large for that, all paths, and the files that may be changed or that the statement
    names, as far as they fit.

    Raises:
        TreeError: The files of a repository are not on this machine.
    """
    if problem.public.tree is not None:
        return _tree_files_text(problem, problem.public.tree)
    file_texts = [_file_text(path, text) for path, text in sorted(problem.public.files.items()) if text.strip()]
    return "\n\n".join(["These files are given:", *file_texts]) if file_texts else ""


def _file_text(path: str, text: str) -> str:
    return f"=== BEGIN {path}\n{text.rstrip()}\n=== END {path}"


def _tree_files_text(problem: Problem, tree: Tree) -> str:
    text_by_path = {}
    for path, content in sorted(tree.read_all().items()):
        with contextlib.suppress(UnicodeDecodeError):
            text_by_path[path] = content.decode()
    shown_text_by_path = text_by_path
    if sum(map(len, text_by_path.values())) > _MOST_TREE_CHARACTERS:
        named_paths = {path for path in text_by_path if path in problem.public.statement}
        editable_paths = {path for path in text_by_path if {path, *folders_around(path)} & {*problem.public.editable}}
        shown_text_by_path, left_characters = {}, _MOST_TREE_CHARACTERS
        for path in (*sorted(named_paths), *sorted(editable_paths - named_paths)):
            if len(text_by_path[path]) <= left_characters:
                shown_text_by_path[path] = text_by_path[path]
                left_characters -= len(text_by_path[path])
    file_texts = [_file_text(path, text) for path, text in shown_text_by_path.items()]
    if unshown_paths := [path for path in tree.digest_by_path if path not in shown_text_by_path]:
        file_texts.append("\n".join(["These files are there too, and not shown:", *unshown_paths]))
    return "\n\n".join(["These files of a repository are given:", *file_texts])


def _tree_instruction(problem: Problem) -> str:
    editable = problem.public.editable
    scope = f"nothing but {', '.join(editable)}" if editable else "any file"
    return (
        f"The folder holds a whole repository, of which you may change {scope}. The difference to how you found it is"
        " judged. Folders called build or obj_dir, objects, logs and waveforms are no part of it."
    )


def reply_form_instruction(problem: Problem, *, has_steps: bool = False) -> str:
    """Description of the form that the reply has to have."""
    expected_paths = problem.public.expected
    if problem.public.tree is not None:
        editable = problem.public.editable
        limit = f" Change nothing but {', '.join(editable)}." if editable else ""
        return (
            "Reply with one unified diff against these files, as `git diff` writes it: for each file the lines"
            " `--- a/PATH` and `+++ b/PATH` (`/dev/null` for a file that is new or deleted), then hunks that begin with"
            " `@@ -LINE,COUNT +LINE,COUNT @@` and have three lines of context around each change. Line numbers, counts"
            f" and context have to be exact.{limit} Put neither words nor code fences around the diff."
        )
    if problem.kind is ProblemKind.DESIGN:
        if len(expected_paths) == 1:
            return (
                f"Reply with the whole content of the file {expected_paths[0]} as plain text. The reply is saved as "
                "that"
                " file as it is, so put neither JSON nor words nor code fences around it."
            )
        form = ", ".join(f'{{"{path}": "<whole content>"}}' for path in expected_paths)
        return (
            "Reply with one JSON object and nothing else. It holds the whole content of each file, with line ends"
            f' written as \\n:\n{{"code": [{form}]}}'
        )
    question = problem.public.question
    if question is None or (problem.category is not None and not has_steps):
        return "Reply with the text that is asked for, as plain text, with nothing around it."
    phrases, rules = wording_of_language(question.language), rules_of(question.format)
    task = rules.task(phrases)
    if not rules.is_single_value:
        return f"{task} {phrases.steps_request.format(line=f'{ANSWER_LABEL}: …')}" if has_steps else task
    return f"{(phrases.steps_request if has_steps else phrases.answer).format(line=f'{ANSWER_LABEL}: X')} {task}"


def answer_after_steps(problem: Problem, reply: str) -> str:
    """The part of a reply with steps that is the answer: behind the last label for words, else all, to be read as such.

    A value is read in the whole reply, since what else it says may contradict the line.
    """
    if rules_of(_question_or_error(problem).format).is_single_value:
        return reply
    label_matches = list(re.finditer(rf"(?m)^[\s>#*_`]*{ANSWER_LABEL}[*_`]*\s*[:：][*_`]*[ \t]*", reply))
    return (reply[label_matches[-1].end() :].strip() if label_matches else "") or reply


def parts_with_figures(text: str, figures: Sequence[Figure]) -> tuple[Part, ...]:
    """A message with each picture after the link that shows it, or at the end."""
    numbered_offsets = sorted((_figure_offset(text, figure), number) for number, figure in enumerate(figures))
    prompt_parts: list[Part] = []
    start = 0
    for end, number in numbered_offsets:
        prompt_parts += [text[start:end], figures[number]]
        start = end
    prompt_parts.append(text[start:])
    return tuple(part for part in prompt_parts if part)


def _figure_offset(text: str, figure: Figure) -> int:
    link = re.search(rf"!\[[^\]]*\]\(\s*<?{re.escape(figure.path)}>?[^)]*\)", text)
    return link.end() if link else len(text)


def _system_message(problem: Problem) -> str:
    if problem.kind is ProblemKind.DESIGN:
        return _DESIGNER
    question = problem.public.question
    return _READER if question is None or problem.category else wording_of_language(question.language).system


def _question_or_error(problem: Problem) -> Question:
    if problem.public.question is None:
        raise ValueError(f"{problem.id} is not a question")
    return problem.public.question
