"""CS-Bench's prompts: a request by format and language, without a system message, in our words.

Published are English and Chinese; German and French questions are asked with the English ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_problems.problem import Problem, QuestionFormat
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import ModelPrompt, parts_with_figures

_ENGLISH = {
    QuestionFormat.MULTIPLE_CHOICE: "This is a multiple-choice question. Read it carefully and choose the right answer."
    " Question:{question}\nWhich of these options is right? Options:\n{choices}\n"
    "Give the answer to this question directly (one letter):",
    QuestionFormat.ASSERTION: "This is a true/false question. Decide whether the statement is true or false."
    " Statement:{question}Give the answer directly (true or false):",
    QuestionFormat.FILL_IN_THE_BLANK: "You are a professor and an expert in computer science. This is a"
    " fill-in-the-blank question. Answer it, but neither explain nor repeat it. Question:{question}Answer:",
    QuestionFormat.OPEN_ENDED: "This is a subjective question:{question}Answer this question briefly:",
}
_CHINESE = {
    QuestionFormat.MULTIPLE_CHOICE: "以下是一道选择题。请认真读题并选出正确答案。题目：{question}\n"
    "下列选项中哪一项是正确的？选项：\n{choices}\n请直接写出本题答案（一个字母）：",
    QuestionFormat.ASSERTION: "以下是一道判断题。请判断题目的说法是对还是错。题目：{question}"
    "请直接写出答案（true or false）：",
    QuestionFormat.FILL_IN_THE_BLANK: "以下是一道填空题。请直接作答，不要解释或重复题目。题目：{question}答案：",
    QuestionFormat.OPEN_ENDED: "以下是一道主观题：{question}请简要回答：",
}
_FORMS: Mapping[str, Mapping[QuestionFormat, str]] = {"zh": _CHINESE}


def _prompt_if_covered(problem: Problem) -> ModelPrompt | None:
    question = problem.public.question
    form = _FORMS.get(question.language, _ENGLISH).get(question.format) if question else None
    if question is None or form is None:
        return None
    choices = "\n".join(f"({choice.letter}){choice.text}" for choice in question.choices)
    # Not `format`: a question may hold braces.
    form_parts = form.partition("{question}")
    text = f"{form_parts[0]}{problem.public.statement}{form_parts[2].replace('{choices}', choices)}"
    return ModelPrompt("", parts_with_figures(text, problem.public.figures))


CSBENCH = PromptSet(
    name="cs-bench",
    source="https://github.com/csbench/csbench, create_input.py at 72d0c25",
    covers="questions of CS-Bench's four formats",
    make_prompt=_prompt_if_covered,
)
