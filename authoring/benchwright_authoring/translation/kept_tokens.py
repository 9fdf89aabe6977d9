"""What a translation must leave as it is: code, formulas, numbers, pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from benchwright_judges.models.prompt import visible

_FENCED = re.compile(r"```.*?```", re.DOTALL)
_PROTECTED = {
    "code": re.compile(r"(?<!`)`[^`\n]+`(?!`)"),
    "a formula": re.compile(r"\$[^$\n]+\$"),
    "a picture": re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)"),
    # A comma may be a point in another language, and a space may part thousands.
    "a number": re.compile(r"\d+"),
}
_SHOWN = 60


def faults(source: Mapping[str, str], translated: Mapping[str, object]) -> Iterator[str]:
    """What is wrong with a translation, as far as that can be seen without knowing the languages.

    Args:
        source: Field → text.
        translated: Hostile: the same fields are wanted.
    """
    if source.keys() != translated.keys():
        yield "the reply has other fields than the question"
        return
    for field, text in source.items():
        other = translated[field]
        if not isinstance(other, str):
            yield f"{field} is no text"
        elif visible(other) != other:
            yield f"{field} has characters that can't be seen"
        elif bool(text.strip()) != bool(other.strip()):
            yield f"{field} is {'empty' if text.strip() else 'not empty any more'}"
        else:
            yield from _changed(field, text, other)
    choices = [str(text).strip() for field, text in translated.items() if field.startswith("choice ")]
    if len(set(choices)) < len(choices):
        yield "two options say the same"


def _changed(field: str, text: str, other: str) -> Iterator[str]:
    if _FENCED.findall(text) != _FENCED.findall(other):
        yield f"{field} has a block of code that was changed"
    plain, plain_other = _FENCED.sub("", text), _FENCED.sub("", other)
    for what, pattern in _PROTECTED.items():
        before, after = Counter(pattern.findall(plain)), Counter(pattern.findall(plain_other))
        for token in [*(before - after), *(after - before)][:1]:
            yield f"{field} has {what} that was changed: {visible(token)[:_SHOWN]}"
            return
