"""QuArch's prompts: a request by format, without a system message, in our words.

QuArch puts the context before the question under a heading of its own. An imported question is one text, context first,
so both have one heading.
"""

from __future__ import annotations

from benchwright_problems.problem import Problem, Question, QuestionFormat
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompts.prompt import ModelPrompt, parts_with_figures

_CHOICE = """You are an expert in computer architecture who answers multiple-choice questions. Read the question \
and choose the best of the answers.

Question: {question}

Choices:
{choices}

End your reply with a JSON object that holds your final answer. It matches this schema: {"final_answer": "<{letters}>"}.
"""
_FREE = """You are an expert in computer architecture who takes an exam. You get a question and its context. Answer it \
clearly, accurately and with reasons.

Structure the answer so that it addresses the question. Show each step of a calculation, and describe \
diagrams and tables.

Remember:
1. Read the question carefully until you understand what it asks.
2. Base the answer on the context.
3. Show reasoning and work where they belong.
4. Be precise and accurate.
5. If you are unsure, say so.

Question with its context:
{question}

Your answer:"""


def _prompt_if_covered(problem: Problem) -> ModelPrompt | None:
    question = problem.public.question
    if question is None or question.format not in (QuestionFormat.MULTIPLE_CHOICE, QuestionFormat.FREE_RESPONSE):
        return None
    form = _FREE if question.format is QuestionFormat.FREE_RESPONSE else _choice_form(question)
    # Not `format`: a question may hold braces.
    text_before, _, text_after = form.partition("{question}")
    return ModelPrompt(
        "", parts_with_figures(f"{text_before}{problem.public.statement}{text_after}", problem.public.figures)
    )


def _choice_form(question: Question) -> str:
    letters = [choice.letter for choice in question.choices]
    letter_list = f"{', '.join(letters[:-1])}, or {letters[-1]}"
    choices = "\n".join(f"{choice.letter}) {choice.text}" for choice in question.choices)
    choices_before, _, choices_after = _CHOICE.partition("{choices}")
    return choices_before + choices + choices_after.replace("{letters}", letter_list)


QUARCH = PromptSet(
    name="quarch",
    source="https://github.com/harvard-edge/quarch-eval, llm_mcq_eval.py and llm_judge_exams.py at 50c3ee0",
    covers="multiple-choice and free-response questions",
    make_prompt=_prompt_if_covered,
)
