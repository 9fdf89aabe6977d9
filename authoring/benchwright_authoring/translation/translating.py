"""Translates the questions of an author's pack folder, and writes those that pass every check as a pack folder."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

from pydantic import JsonValue

from benchwright_authoring.generated_pack_folder import require_writable_pack_folder
from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_foundation.toml_text import toml_table_text
from benchwright_judges import languages
from benchwright_judges.models.kept_replies import ModelWithKeptReplies
from benchwright_judges.models.prompt import escape_hidden_characters, object_schema
from benchwright_judges.reading.quantities import read_quantity
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder, read_pack_toml

LANGUAGES = {language.code: language.name for language in languages.LANGUAGES}
REPORT = "translations.json"
_LONGEST = 300

_FENCED = re.compile(r"```.*?```", re.DOTALL)
_PROTECTED = {
    "code": re.compile(r"(?<!`)`[^`\n]+`(?!`)"),
    "a formula": re.compile(r"\$[^$\n]+\$"),
    "a picture": re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)"),
    # A comma may be a point in another language, and a space may part thousands.
    "a number": re.compile(r"\d+"),
}
_SHOWN = 60


class TranslationError(ProblemsError):
    """A pack can't be translated, or a model gave no usable reply."""


class TranslatedQuestion(Model):
    """Result for a question."""

    problem: str
    made: str = ""
    """Id of the translated one; empty if it did not pass."""
    texts: Mapping[str, str] = {}
    back: Mapping[str, str] = {}
    """The translation, translated back."""
    faults: tuple[str, ...] = ()
    """Reasons for which it did not pass, as sentences without their full stops."""


class Translator:
    """Translates questions.

    Args:
        forward_model: Translates.
        back_model: Translates back, without the original, and compares; better another model.
        source_language: ISO 639 code of the language of the questions.
        target_language: The same of the language that is wanted.
    """

    def __init__(
        self,
        forward_model: ModelWithKeptReplies,
        back_model: ModelWithKeptReplies,
        source_language: str,
        target_language: str,
    ) -> None:
        self._forward = forward_model
        self._back = back_model
        self._source = source_language
        self._target = target_language

    async def translate(self, problem: Problem) -> TranslatedQuestion:
        """One question.

        Raises:
            OutOfBudgetError: The budget does not hold what a request may cost; replies that came are kept.
        """
        source = translatable_texts(problem)
        try:
            texts = await self._translate_texts(self._forward, problem.id, source, (self._source, self._target))
            back = await self._translate_texts(self._back, problem.id, texts, (self._target, self._source))
            differences = await self._ask_for_meaning_differences(problem.id, source, back)
        except TranslationError as error:
            return TranslatedQuestion(problem=problem.id, faults=(str(error),))
        new_problem = "" if differences else f"{problem.id}-{self._target}"
        return TranslatedQuestion(problem=problem.id, made=new_problem, texts=texts, back=back, faults=differences)

    async def _translate_texts(
        self,
        translating_model: ModelWithKeptReplies,
        problem_id: str,
        text_by_field: Mapping[str, str],
        source_and_target_language: tuple[str, str],
    ) -> dict[str, str]:
        source, target = source_and_target_language
        instructions = _instruction_text("translate").format(source=LANGUAGES[source], target=LANGUAGES[target])
        schema = object_schema({field: {"type": "string"} for field in text_by_field})
        prompt = json.dumps(dict(text_by_field), ensure_ascii=False, indent=1)
        reply = await translating_model.kept_or_new_reply(
            f"{source}-{target}", problem_id, instructions, prompt, schema
        )
        faults = list(translation_faults(text_by_field, reply)) or list(
            _changed_quantity_faults(text_by_field, reply, source_and_target_language)
        )
        if faults:
            raise TranslationError(f"from {LANGUAGES[source]} to {LANGUAGES[target]}: {'; '.join(faults)}")
        return {field: str(text).strip() for field, text in reply.items()}

    async def _ask_for_meaning_differences(
        self, problem_id: str, source_text_by_field: Mapping[str, str], back_translation_by_field: Mapping[str, str]
    ) -> tuple[str, ...]:
        prompt = json.dumps(
            {"first": dict(source_text_by_field), "second": dict(back_translation_by_field)},
            ensure_ascii=False,
            indent=1,
        )
        schema: dict[str, JsonValue] = object_schema({"difference": {"type": "string"}, "same": {"type": "boolean"}})
        kind = f"compare-{self._target}"
        reply = await self._back.kept_or_new_reply(kind, problem_id, _instruction_text("compare"), prompt, schema)
        is_same, difference = reply.get("same"), reply.get("difference")
        if not isinstance(is_same, bool) or not isinstance(difference, str):
            raise TranslationError(f"{self._back.name} did not say whether both versions are the same")
        explanation = " ".join(escape_hidden_characters(difference)[:_LONGEST].split()) or "it does not say what"
        return () if is_same else (f"translated back, something differs: {explanation}",)


def _changed_quantity_faults(
    source_text_by_field: Mapping[str, str],
    translated_text_by_field: Mapping[str, str],
    source_and_target_language: tuple[str, str],
) -> Iterator[str]:
    """Accepted answers that are another number in the other language: 1,024 is a thousand here and about one there."""
    for field, text in source_text_by_field.items():
        if field != "answer" and not field.startswith("also accepted "):
            continue
        old_quantity = read_quantity(text.strip(), source_and_target_language[0])
        new_quantity = read_quantity(translated_text_by_field[field].strip(), source_and_target_language[1])
        # A notation may have several readings, such as 1.024 in German.
        is_same = (
            old_quantity.values_in_base_unit & new_quantity.values_in_base_unit
            if old_quantity and new_quantity
            else old_quantity is new_quantity
        )
        if not is_same:
            yield f"{field} is another number in {LANGUAGES[source_and_target_language[1]]}"


def translatable_texts(problem: Problem) -> dict[str, str]:
    """The texts of a question that are translated: field → text."""
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None:
        raise TranslationError(f"{problem.id} is no question")
    _, _, body = problem.public.statement.partition("\n")
    texts = {"title": problem.title, "statement": body.strip()}
    texts |= {f"choice {choice.letter}": choice.text for choice in question.choices}
    if not question.choices and key.value not in ("true", "false"):
        texts["answer"] = key.value
        texts |= {f"also accepted {number}": text for number, text in enumerate(key.alternatives)}
    return texts | {"rubric": key.rubric, "explanation": key.explanation}


def questions_in_language(pack_folder: Path, source_language: str, target_language: str) -> Sequence[Problem]:
    """The questions of a pack folder in a language.

    Raises:
        DatasetError: The folder holds a pack that can't be read.
        TranslationError: The pack has no such question, or a language is none of those that there are.
    """
    for code in (source_language, target_language):
        if code not in LANGUAGES:
            raise TranslationError(f"{code!r} is none of the languages {', '.join(LANGUAGES)}")
    if source_language == target_language:
        raise TranslationError("the questions are in that language already")
    questions = [
        problem
        for problem in read_pack_folder(pack_folder).problems
        if problem.kind is ProblemKind.QUESTION
        and problem.public.question is not None
        and problem.public.question.language == source_language
        # What people give points for has an order and numbers of its own.
        and (problem.hidden.answer is None or problem.hidden.answer.points is None)
    ]
    if not questions:
        raise TranslationError(f"{pack_folder} has no question in {LANGUAGES[source_language]}")
    return questions


async def translate_all(
    problems: Sequence[Problem], translator: Translator, on_done: Callable[[], None] = lambda: None
) -> list[TranslatedQuestion]:
    """All of them, one after the other: providers limit how many requests they take.

    Raises:
        OutOfBudgetError: See `Translator.translate`.
    """
    translations = []
    for problem in problems:
        translations.append(await translator.translate(problem))
        on_done()
    return translations


def write_translated_pack(
    source_folder: Path, target_folder: Path, translations: Sequence[TranslatedQuestion], target_language: str
) -> int:
    """Writes a pack folder with the questions that passed, and a report on all; returns how many passed.

    Questions of an earlier translation are written again: an author corrects the original, or copies the folder.

    Args:
        source_folder: The pack folder that was translated.
        target_folder: Folder to write to.
        translations: Results for its questions.
        target_language: ISO 639 code.

    Raises:
        ProblemsError: See `require_translation_folder`.
        DatasetError: What was written is no pack.
        OSError: The folder can't be written.
    """
    require_translation_folder(source_folder, target_folder)
    head = read_pack_toml(source_folder)
    problems = {problem.id: problem for problem in read_pack_folder(source_folder).problems}
    target_folder.mkdir(parents=True, exist_ok=True)
    passed_translations = [translation for translation in translations if translation.made]
    for translation in passed_translations:
        shutil.rmtree(target_folder / translation.made, ignore_errors=True)
        _write_translated_problem(
            target_folder / translation.made, problems[translation.problem], translation, target_language
        )
    translation_reports = [translation.model_dump(mode="json") for translation in translations]
    write_atomically(
        target_folder / REPORT, (json.dumps(translation_reports, ensure_ascii=False, indent=1) + "\n").encode(), 0o600
    )
    if passed_translations:
        values = head.model_dump(mode="json", exclude_none=True, exclude={"canary"})
        values |= {
            "name": target_folder.absolute().name,
            "title": f"{head.title} ({LANGUAGES[target_language]})",
            "order": [translation.made for translation in passed_translations],
        }
        values["source"] = f"{head.source}; translated by models"
        write_atomically(target_folder / PACK_FILE, toml_table_text(values).encode())
        read_pack_folder(target_folder)
    else:
        (target_folder / PACK_FILE).unlink(missing_ok=True)
    return len(passed_translations)


def require_translation_folder(source_folder: Path, target_folder: Path) -> None:
    """Makes sure that a translation can be written there.

    Raises:
        ProblemsError: Its name can't be a pack's, or it holds another pack.
    """
    if target_folder.resolve() == source_folder.resolve():
        raise TranslationError(f"{target_folder} holds another pack; choose another folder")
    require_writable_pack_folder(target_folder, REPORT)


def _write_translated_problem(
    new_problem_folder: Path, problem: Problem, translation: TranslatedQuestion, target_language: str
) -> None:
    question, key, texts = problem.public.question, problem.hidden.answer, translation.texts
    if question is None or key is None:
        return
    new_problem_folder.mkdir()
    for folder, figures in ((new_problem_folder, problem.public.figures), (new_problem_folder / "hidden", key.figures)):
        for figure in figures:
            file = folder / figure.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(figure.content)
    question_fields = question.model_dump(
        mode="json", include={"format", "subdomain", "topic", "tag", "skill"}, exclude_none=True
    )
    choices = {choice.letter: texts[f"choice {choice.letter}"] for choice in question.choices}
    question_table = {name: value for name, value in question_fields.items() if value} | {"language": target_language}
    question_table |= {"group": question.group or problem.id} | ({"choices": choices} if choices else {})
    answer_table = key.model_dump(mode="json", include={"closed", "unit", "tolerance"}, exclude_defaults=True)
    answer_table["value"] = texts.get("answer", key.value)
    accepted_texts = [text for field, text in texts.items() if field.startswith("also accepted ")]
    answer_table |= {"alternatives": accepted_texts} if accepted_texts else {}
    answer_table |= {name: texts[name] for name in ("rubric", "explanation") if texts[name]}
    values: dict[str, object] = {
        "id": translation.made,
        "kind": ProblemKind.QUESTION.value,
        "difficulty": problem.difficulty.value,
    }
    values |= {"domain": question.domain} if question.domain else {}
    write_atomically(
        new_problem_folder / PROBLEM_FILE,
        toml_table_text(values | {"question": question_table, "answer": answer_table}).encode(),
    )
    write_atomically(new_problem_folder / STATEMENT, f"# {texts['title']}\n\n{texts['statement']}\n".encode())


def _instruction_text(instruction_name: str) -> str:
    return (resources.files("benchwright_authoring.translation") / f"{instruction_name}.txt").read_text("utf-8")


def translation_faults(
    source_text_by_field: Mapping[str, str], translated_text_by_field: Mapping[str, object]
) -> Iterator[str]:
    """The faults of a translation, as far as they can be seen without knowing the languages.

    Code, formulas, numbers and pictures have to stay as they are.

    Args:
        source_text_by_field: Field → text.
        translated_text_by_field: Hostile: the same fields are wanted.
    """
    if source_text_by_field.keys() != translated_text_by_field.keys():
        yield "the reply has other fields than the question"
        return
    for field, text in source_text_by_field.items():
        translated_text = translated_text_by_field[field]
        if not isinstance(translated_text, str):
            yield f"{field} is no text"
        elif escape_hidden_characters(translated_text) != translated_text:
            yield f"{field} has characters that can't be seen"
        elif bool(text.strip()) != bool(translated_text.strip()):
            yield f"{field} is {'empty' if text.strip() else 'not empty any more'}"
        else:
            yield from _changed_token_faults(field, text, translated_text)
    choices = [str(text).strip() for field, text in translated_text_by_field.items() if field.startswith("choice ")]
    if len(set(choices)) < len(choices):
        yield "two options say the same"


def _changed_token_faults(field_name: str, source_text: str, translated_text: str) -> Iterator[str]:
    if _FENCED.findall(source_text) != _FENCED.findall(translated_text):
        yield f"{field_name} has a block of code that was changed"
    plain_text, plain_other = _FENCED.sub("", source_text), _FENCED.sub("", translated_text)
    for content_kind, pattern in _PROTECTED.items():
        old_tokens, new_tokens = Counter(pattern.findall(plain_text)), Counter(pattern.findall(plain_other))
        for token in [*(old_tokens - new_tokens), *(new_tokens - old_tokens)][:1]:
            yield f"{field_name} has {content_kind} that was changed: {escape_hidden_characters(token)[:_SHOWN]}"
            return
